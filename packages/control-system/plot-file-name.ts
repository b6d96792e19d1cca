/** Maximum number of lines of a block that are read. `maxChars` is the maximum number of characters. */
export const maxPlotLines = 1_000;
const maxChars = 131_072;

/** Returns the first non-empty lines of a `plot` block. */
export function plotLines(content: string): string[] {
  return content
    .slice(0, maxChars)
    .replace(/\r\n?/g, '\n')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, maxPlotLines);
}

/** Whether a file has a name that `plotFileName` returns. */
export const isPlotFileName = (name: string): boolean => /^plot-[0-9a-f]{8}\.svg$/.test(name);

/** Returns the name of the file with the samples of a block, which is always the same for the same lines. */
export function plotFileName(lines: readonly string[]): string {
  let hash = 0x811c9dc5;
  for (const char of lines.join('\n')) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return `plot-${(hash >>> 0).toString(16).padStart(8, '0')}.svg`;
}
