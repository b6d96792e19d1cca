import { type Entry, isClosed } from './entry.js';
import type { EntryDraft } from './entry-draft.js';
import type { Markup, RenderedText, TextRenderer } from './text-renderer.js';

/** A text that was sent. */
interface SentForm extends RenderedText {
  /** The source with the end of a code block that it leaves open, because blocks may follow in a run. */
  readonly closed: string;
}

/** Possible texts of an edited entry. `chooseText` chooses one by comparison with the stored entry. */
interface EditedText {
  readonly sent: SentForm;
  /** Text of the `description` alone; undefined unless a `source` with another description was sent with it. */
  readonly fromDescription: SentForm | undefined;
}

type SentText = Pick<EntryDraft, 'text' | 'source' | 'description'>;

/** @throws Fault unavailable `entry.markup-timeout` */
export async function renderEditedText(texts: TextRenderer, draft: SentText, markup: Markup): Promise<EditedText> {
  const render = async (text: string) => ({
    ...(await texts.render(text, markup)),
    closed: await texts.closeFence(text, markup),
  });
  const sent = await render(draft.text);
  const { source, description } = draft;
  const differs = source && description !== undefined && description !== sent.description;
  return { sent, fromDescription: differs ? await render(description) : undefined };
}

/**
 * Returns the text after an edit. Clients send the whole entry with both forms of its text, of which they changed one:
 * an empty `source` with the stored `description` clears the text, and a new `description` with the stored `source` is
 * the new text. If both are new, the `source` is the new text.
 */
export function chooseText(draft: SentText, edited: EditedText, stored: Entry): RenderedText {
  if (draft.source === '' && draft.text === stored.description) return { source: '', description: '' };
  const onlyDescription = draft.source === stored.source && draft.description !== stored.description;
  const { closed, source, description } = (onlyDescription ? edited.fromDescription : undefined) ?? edited.sent;
  return { source: stored.run && !isClosed(stored.run) ? closed : source, description };
}
