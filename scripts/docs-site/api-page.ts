import { describedApi } from '../api-types.js';

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly responses?: Readonly<Record<string, unknown>>;
}

/** Returns the page about the HTTP interface, and its OpenAPI description. */
export async function describeInterface(): Promise<{ readonly page: string; readonly description: unknown }> {
  const description = await describedApi();
  const groups = new Map<string, string[]>();
  for (const [path, item] of Object.entries(description.paths)) {
    for (const [method, operation] of Object.entries(item as Record<string, Operation>)) {
      const group = operation.tags?.[0] ?? 'Service';
      groups.set(group, [...(groups.get(group) ?? []), describeOperation(method, path, operation)]);
    }
  }
  const sections = [...groups].map(([group, operations]) => `## ${group}\n\n${operations.join('\n\n')}`);
  const about = `The complete description is [openapi.json](/files/openapi.json){target="_self"} (OpenAPI 3.1). A running service has it at
\`/openapi.json\`, and at \`/swagger-ui/index.html\` to read and try. Paths begin with the setting \`rootPath\`; here it is
\`/logbook\`. The codes of errors are [explained for operators](docs/operator/errors.md).`;
  return { page: `# HTTP interface\n\n${about}\n\n${sections.join('\n\n')}\n`, description };
}

function describeOperation(method: string, path: string, operation: Operation): string {
  const { summary, description, parameters = [], responses = {} } = operation;
  const names = parameters.map(({ name, in: place }) => `\`${name}\` (${place})`);
  return [
    `### \`${method.toUpperCase()} ${path}\``,
    ...(summary ? [escapeMarkup(summary)] : []),
    ...(description ? [escapeMarkup(description)] : []),
    ...(names.length > 0 ? [`Parameters: ${names.join(', ')}.`] : []),
    `Responds with ${Object.keys(responses).join(', ')}.`,
  ].join('\n\n');
}

/** Escapes a plain text for a page. Vue would evaluate double braces. */
const escapeMarkup = (text: string): string => text.replace(/[<*_[\]]/g, '\\$&').replaceAll('{{', '{ {');
