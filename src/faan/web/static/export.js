// The dialog that saves decided facts as a file.

import { file } from "./server.js";

const $ = (id) => document.getElementById(id);
const ENDINGS = { nt: "nt", tsv: "tsv", ttl: "ttl", sparql: "ru", quickstatements: "txt" };

export function exportDialog(relation) {
  $("close-export").addEventListener("click", () => $("export").close());
  $("export-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const [format, decision] = [$("export-format").value, $("export-decision").value];
    const query = new URLSearchParams({ format, decision, base: $("export-base").value });
    if ($("export-relation").checked && relation()) query.set("relation", relation());
    $("export-problem").hidden = true;
    try {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await file(`/api/export?${query}`));
      link.download = `${decision}.${ENDINGS[format]}`;
      link.click();
      URL.revokeObjectURL(link.href);
      $("export").close();
    } catch (error) {
      $("export-problem").textContent = error.message;
      $("export-problem").hidden = false;
    }
  });
  return {
    show() {
      $("export-problem").hidden = true;
      $("export").showModal();
    },
  };
}
