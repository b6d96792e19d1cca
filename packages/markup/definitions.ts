import type { MarkdownIt, Token } from 'markdown-it';
import { wrapRule } from './wrap-rule.js';

/** State that the rules of one parse share. */
export interface DefinitionEnv {
  foundDefinitions?: { readonly label: string; readonly line: number }[];
  /** Lines of the definitions that links use, for the second parse. */
  keptDefinitions?: ReadonlySet<number>;
}

/** Makes the parser report link reference definitions. In a second parse, only the kept ones are definitions. */
export function keepDefinitions(markdown: MarkdownIt): void {
  wrapRule(
    markdown.block.ruler,
    'reference',
    (rule) => (state, line, end, isSilent) => {
      const env = state.env as DefinitionEnv;
      const kept = env.keptDefinitions;
      // A kept definition ends the paragraph before it, because that may have been a definition in the first parse.
      if (isSilent || (kept && !kept.has(line))) return kept?.has(line) ?? false;
      if (!rule(state, line, end, isSilent)) return false;
      const label = String(state.tokens.at(-1)?.meta?.label ?? '');
      env.foundDefinitions ??= [];
      env.foundDefinitions.push({ label, line });
      return true;
    },
    ['paragraph'],
  );
}

export function definitionsIn(env: DefinitionEnv): readonly { readonly label: string; readonly line: number }[] {
  return env.foundDefinitions ?? [];
}

/** Returns the labels of the definitions that links and images use. */
export function usedLabels(tokens: readonly Token[]): Set<string> {
  const labels = new Set<string>();
  for (const token of tokens) {
    for (const child of token.children ?? []) {
      if (child.meta?.label !== undefined) labels.add(String(child.meta.label));
    }
  }
  return labels;
}
