import type { Entry } from './entry.js';
import type { EntryDraft } from './entry-draft.js';
import type { Markup, RenderedText, TextRenderer } from './text-renderer.js';

/** Possible texts of an edited entry. `chooseText` chooses one by comparison with the stored entry. */
interface EditedText {
  readonly sent: RenderedText;
  /** Text of the `description` alone; undefined unless a `source` with another description was sent with it. */
  readonly fromDescription: RenderedText | undefined;
}

type SentText = Pick<EntryDraft, 'text' | 'source' | 'description'>;

/** @throws Fault unavailable `entry.markup-timeout` */
export async function renderEditedText(texts: TextRenderer, draft: SentText, markup: Markup): Promise<EditedText> {
  const sent = await texts.render(draft.text, markup);
  const { source, description } = draft;
  const differs = source && description !== undefined && description !== sent.description;
  return { sent, fromDescription: differs ? await texts.render(description, markup) : undefined };
}

/**
 * Returns the text after an edit. Clients send the whole entry with both forms of its text, of which they changed one:
 * an empty `source` with the stored `description` clears the text, and a new `description` with the stored `source` is
 * the new text. If both are new, the `source` is the new text.
 */
export function chooseText(draft: SentText, edited: EditedText, stored: Entry): RenderedText {
  if (draft.source === '' && draft.text === stored.description) return { source: '', description: '' };
  const onlyDescription = draft.source === stored.source && draft.description !== stored.description;
  return (onlyDescription ? edited.fromDescription : undefined) ?? edited.sent;
}
