// What to show for the names of entities and relations, as far as this window knows.

import { post } from "./server.js";

const [entities, relations] = [new Map(), new Map()]; // labels by name

export const entityLabel = (name) => entities.get(name) ?? name;
export const relationLabel = (name) => relations.get(name) ?? name;
export const learnEntity = (name, label) => entities.set(name, label);
export const learnRelation = (name, label) => relations.set(name, label);

// Resolves names: {relation: {name, label, facts} or null, entities: [{asked, entity, problem}]}.
export async function lookUp(relation, names, signal) {
  const answer = await post("/api/names", { relation, entities: [...new Set(names)] }, signal);
  if (answer.relation) learnRelation(answer.relation.name, answer.relation.label);
  for (const { entity } of answer.entities) if (entity) learnEntity(entity.name, entity.label);
  return answer;
}
