// What to show for the names of entities and relations, as far as this window knows.

import { post } from "./server.js";

const known = new Map(); // label by kind and name

const keyOf = (kind, name) => `${kind} ${name}`;
const learn = (kind, name, label) => known.set(keyOf(kind, name), label);

export const entityLabel = (name) => known.get(keyOf("entity", name)) ?? name;
export const relationLabel = (name) => known.get(keyOf("relation", name)) ?? name;
export const learnEntity = (name, label) => learn("entity", name, label);
export const learnRelation = (name, label) => learn("relation", name, label);

// Resolves names: {relation: {name, label, facts} or null, entities: [{asked, entity, problem}]}.
export async function lookUp(relation, entities, signal) {
  const answer = await post("/api/names", { relation, entities: [...new Set(entities)] }, signal);
  if (answer.relation) learnRelation(answer.relation.name, answer.relation.label);
  for (const { entity } of answer.entities) if (entity) learnEntity(entity.name, entity.label);
  return answer;
}
