import { STATUS_CODES } from 'node:http';
import { type ErrorStatus, errorDescriptions } from './common.schema.js';

interface Parameter {
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: unknown;
  readonly schema?: { readonly default?: unknown; readonly examples?: readonly unknown[] };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
  readonly responses?: Readonly<Record<string, { readonly description?: string }>>;
}

interface Description {
  readonly paths?: Readonly<Record<string, object | undefined>>;
}

const errorStatuses = Object.keys(errorDescriptions).map(Number) as ErrorStatus[];
const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };

/** The error responses that operations refer to, by name. */
export const errorComponents = Object.fromEntries(
  errorStatuses.map((status) => [nameOf(status), { description: errorDescriptions[status], content: errorContent }]),
);

/**
 * Returns the API description with the examples of parameters moved into their descriptions, and with one shared
 * definition of each error.
 */
export function describeOperations<T extends Description>(description: T): T {
  const paths = Object.entries(description.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations ?? {}).map(([method, operation]) => [
        method,
        withSharedErrors(withoutPrefill(operation as Operation)),
      ]),
    ),
  ]);
  return { ...description, paths: Object.fromEntries(paths) };
}

function withSharedErrors(operation: Operation): Operation {
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    errorDescriptions[Number(status) as ErrorStatus] === response.description
      ? { $ref: `#/components/responses/${nameOf(status)}` }
      : response,
  ]);
  return { ...operation, responses: Object.fromEntries(responses) };
}

function nameOf(status: string | number): string {
  return (STATUS_CODES[status] ?? '').replace(/\W/g, '');
}

/**
 * Moves the examples and defaults of parameters into their descriptions. The page that explores the interface would
 * otherwise fill its fields with them and send them: a search for everything, or a reply to an entry that does not
 * exist.
 */
function withoutPrefill(operation: Operation): Operation {
  if (!operation.parameters) return operation;
  return { ...operation, parameters: operation.parameters.map(toPlainParameter) };
}

function toPlainParameter({ example, examples, ...parameter }: Parameter): Parameter {
  const { default: preset, examples: inSchema = [], ...schema } = parameter.schema ?? {};
  const shown = inSchema.length > 0 ? inSchema : example === undefined ? [] : [example];
  const texts = [
    parameter.description,
    preset === undefined ? undefined : `Default: ${asCode(preset)}.`,
    shown.length === 0 ? undefined : `Example: ${shown.map(asCode).join(', ')}.`,
  ];
  return { ...parameter, description: texts.filter((text) => text !== undefined).join(' '), schema };
}

function asCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
