import type { Ruler } from 'markdown-it';

/**
 * Replaces a rule of the parser with one that calls it. `alt`: blocks that the new rule can end; default: those of the
 * old rule.
 */
export function wrapRule<Args extends unknown[], Result>(
  ruler: Ruler<Args, Result>,
  name: string,
  wrap: (rule: (...args: Args) => Result) => (...args: Args) => Result,
  alt?: string[],
): void {
  const found = ruler.__rules__.find((one) => one.name === name);
  if (!found) throw new Error(`The parser has no rule ${name}`);
  ruler.at(name, wrap(found.fn), { alt: alt ?? found.alt });
}
