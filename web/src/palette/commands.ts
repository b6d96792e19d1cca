import type { LucideIcon } from 'lucide-react';

export type CommandGroup = 'goTo' | 'entry' | 'list' | 'settings' | 'administration' | 'narrow' | 'saved' | 'entries';

/** The order of the groups in the list. */
export const commandGroups: readonly CommandGroup[] = [
  ...(['goTo', 'entry', 'list', 'settings', 'saved', 'narrow', 'administration', 'entries'] as const),
];

/** Something that the palette can do. */
export interface Command {
  readonly id: string;
  readonly group: CommandGroup;
  readonly label: string;
  readonly icon: LucideIcon | { readonly level: string };
  /** The keys that do the same. */
  readonly keys?: string | undefined;
  /** Text at the end of the line. */
  readonly note?: string | undefined;
  /** Whether it is shown before anything is typed. */
  readonly isFirst?: boolean;
  readonly run: () => void;
}

const maxPerGroup = 8;

/**
 * Returns the commands whose labels contain every word of the text. In each group, labels that begin with the first
 * word come first.
 */
export function matchingCommands(commands: readonly Command[], text: string): Command[] {
  const words = fold(text)
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return commands.filter(({ isFirst }) => isFirst);
  const rank = ({ label }: Command) => (fold(label).startsWith(words[0] ?? '') ? 0 : 1);
  const found = commands.filter(({ label }) => words.every((word) => fold(label).includes(word)));
  return commandGroups.flatMap((group) =>
    found
      .filter((command) => command.group === group)
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, maxPerGroup),
  );
}

/** Splits the label into parts that match words of the text and parts that do not. */
export function labelParts(
  label: string,
  text: string,
): readonly { readonly text: string; readonly isMatch: boolean }[] {
  const folded = fold(label);
  // Folding may turn one letter into several, so the positions would be wrong.
  if (folded.length !== label.length) return [{ text: label, isMatch: false }];
  const isMatch = new Array<boolean>(label.length).fill(false);
  for (const word of fold(text).split(/\s+/)) {
    const at = word === '' ? -1 : folded.indexOf(word);
    if (at >= 0) isMatch.fill(true, at, at + word.length);
  }
  const parts: { text: string; isMatch: boolean }[] = [];
  for (const [at, one] of isMatch.entries()) {
    const last = parts.at(-1);
    if (last?.isMatch === one) last.text += label[at];
    else parts.push({ text: label[at] ?? '', isMatch: one });
  }
  return parts;
}

function fold(text: string): string {
  return text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
}
