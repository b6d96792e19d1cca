interface Parameter {
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: unknown;
  readonly schema?: { readonly default?: unknown; readonly examples?: readonly unknown[] };
}

interface Operation {
  readonly parameters?: readonly Parameter[];
}

interface Description {
  readonly paths?: Readonly<Record<string, object | undefined>>;
}

/**
 * Moves the examples and defaults of parameters into their descriptions. The page that explores the interface would
 * fill its fields with them, and send them all: a search for everything, or a reply to an entry that does not
 * exist.
 */
export function describeParameters<T extends Description>(description: T): T {
  const paths = Object.entries(description.paths ?? {}).map(([path, operations]) => [
    path,
    Object.fromEntries(
      Object.entries(operations ?? {}).map(([method, operation]) => [method, withoutPrefill(operation as Operation)]),
    ),
  ]);
  return { ...description, paths: Object.fromEntries(paths) };
}

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
