import { type DataFinding, problem } from './data-finding.js';

/** Object of a database schema, such as a table, an index or a trigger. */
export interface SchemaObject {
  /** Kind and name, such as `table entry`. */
  readonly name: string;
  /** Definition in SQL or in words; equal definitions have equal texts. */
  readonly definition: string;
}

/** Maximum length of a definition in a finding. */
const maxDefinition = 300;
const advice =
  'A trigger, a view or another table can change or hide what is stored from now on. Find out who changed the database, and restore a backup, which has no definitions, into a new data directory or schema.';

export function compareSchemas(made: readonly SchemaObject[], found: readonly SchemaObject[]): DataFinding[] {
  const expected = new Map(made.map(({ name, definition }) => [name, definition]));
  const present = new Map(found.map(({ name, definition }) => [name, definition]));
  const missing = made.filter(({ name }) => !present.has(name));
  const different = found.filter(({ name, definition }) => expected.get(name) !== definition);
  return [
    ...missing.map(({ name }) => problem(`the ${name}`, 'it is missing in the database', advice)),
    ...different.map(({ name, definition }) =>
      problem(`the ${name}`, `${describe(expected.has(name))}: ${shorten(definition)}`, advice),
    ),
  ];
}

const describe = (isExpected: boolean): string =>
  isExpected ? 'it differs from the one that this program creates' : 'this program does not create it';

function shorten(definition: string): string {
  const line = definition.replace(/\s+/g, ' ');
  return line.length > maxDefinition ? `${line.slice(0, maxDefinition)}…` : line;
}
