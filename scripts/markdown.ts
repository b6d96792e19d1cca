/** Returns a row of a table. A `|` that is not escaped would end its cell, even in code. */
export function tableRow(...cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
