// The dialog that saves decided facts as a file.

import { $ } from "./dom.js";
import { file } from "./server.js";

// `relation()` is the relation under review, if any. Returns what opens the dialog.
export function exportDialog(relation) {
  $("export-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    const [format, decision] = [$("export-format").selectedOptions[0], $("export-decision").value];
    const query = new URLSearchParams({ format: format.value, decision, base: $("export-base").value });
    if ($("export-relation-base").value) query.set("relation_base", $("export-relation-base").value);
    if ($("export-relation").checked && relation()) query.set("relation", relation());
    $("export-problem").hidden = true;
    try {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await file(`/api/export?${query}`));
      link.download = `${decision}${format.dataset.ending}`;
      link.click();
      URL.revokeObjectURL(link.href);
      $("export").close();
    } catch (error) {
      $("export-problem").textContent = error.message;
      $("export-problem").hidden = false;
    }
  });
  return () => {
    $("export-problem").hidden = true;
    $("export").showModal();
  };
}
