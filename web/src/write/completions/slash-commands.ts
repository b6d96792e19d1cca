import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  startCompletion,
} from '@codemirror/autocomplete';
import type { EditorView } from '@codemirror/view';
import i18next from 'i18next';
import { serverNow } from '../../api/server-clock.ts';
import { formatForSearch } from '../../components/search-time.ts';
import { editorCommands } from '../editor/commands.ts';

/** Actions of the menu that need the page around the text. A command without its action is not offered. */
export interface SlashActions {
  readonly onImage?: (() => void) | undefined;
  readonly onCapture?: (() => void) | undefined;
  /** Whether the samples of plots can be read. */
  readonly hasHistory?: boolean;
  readonly templates?: readonly SlashTemplate[] | undefined;
  readonly onTemplate?: ((template: SlashTemplate) => void) | undefined;
}

export interface SlashTemplate {
  readonly id: string;
  readonly name: string;
}

type Run = (view: EditorView) => unknown;

/** Offers the commands after a slash at the beginning of a word, and the templates after `/template`. */
export function slashCommands(actions: () => SlashActions) {
  return (context: CompletionContext): CompletionResult | null =>
    findTemplates(context, actions()) ?? findCommands(context, actions());
}

/** Offers the commands that begin as typed: a path such as `/tmp` must not look like one. */
function findCommands(context: CompletionContext, actions: SlashActions): CompletionResult | null {
  const { onImage, onCapture, hasHistory, templates = [] } = actions;
  const word = context.matchBefore(/(?<!\S)\/[a-z]*/i);
  if (!word) return null;
  const typed = word.text.toLowerCase();
  const t = i18next.getFixedT(null, 'write');
  const options = [
    command('/table', t('slash.table'), editorCommands.table),
    ...(hasHistory ? [command('/plot', t('slash.plot'), editorCommands.plot)] : []),
    ...(onImage ? [command('/image', t('slash.image'), onImage)] : []),
    ...(onCapture ? [command('/capture', t('slash.capture'), onCapture)] : []),
    ...(templates.length > 0 ? [command('/template', t('slash.template'), beginTemplate)] : []),
    command('/now', t('slash.now'), (view) => insert(view, formatForSearch(serverNow()))),
    command('/link', t('slash.link'), editorCommands.link),
  ].filter(({ label }) => label.startsWith(typed));
  if (options.length === 0) return null;
  const update: CompletionResult['update'] = (_, __, ___, changed) => findCommands(changed, actions);
  return { from: word.from, options, filter: false, update };
}

function findTemplates(context: CompletionContext, actions: SlashActions): CompletionResult | null {
  const { templates = [], onTemplate } = actions;
  const typed = context.matchBefore(/(?<!\S)\/template .*/i);
  if (!typed || !onTemplate) return null;
  const options = templates.map((template) => ({
    ...command(template.name, '', () => onTemplate(template)),
    apply: (view: EditorView, _: Completion, __: number, to: number) => {
      view.dispatch({ changes: { from: typed.from, to } });
      onTemplate(template);
    },
  }));
  return { from: typed.from + '/template '.length, options, validFor: /^.*$/ };
}

/** A command, which replaces the text that was typed to choose it. */
function command(label: string, detail: string, run: Run): Completion {
  return {
    label,
    detail,
    apply: (view, _, from, to) => {
      view.dispatch({ changes: { from, to } });
      run(view);
    },
  };
}

function beginTemplate(view: EditorView): void {
  insert(view, '/template ');
  startCompletion(view);
}

function insert(view: EditorView, text: string): void {
  view.dispatch({ ...view.state.replaceSelection(text), userEvent: 'input.complete' });
}
