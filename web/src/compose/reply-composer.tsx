import { useNavigate } from '@tanstack/react-router';
import { Maximize2 } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type RefObject,
  useImperativeHandle,
  useRef,
  useState,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { Entry } from '../api/types.ts';
import { formatId } from '../components/format.ts';
import { IconButton } from '../components/icon-button.tsx';
import { replyTo } from '../drafts/begin-draft.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { sendDraft } from '../drafts/send-draft.ts';
import { type ContinuedDraft, useContinuedDraft } from '../drafts/use-continued-draft.ts';
import { holdKeys } from '../keys/held-keys.ts';
import { isComposing } from '../keys/is-composing.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useBootstrap, useMe } from '../session/me.ts';
import { checkDraft } from '../write/check-draft.ts';
import type { EditorHandle } from '../write/editor/editor-handle.ts';
import { MarkdownEditor } from '../write/editor/markdown-editor.tsx';
import { chooseFiles } from '../write/files/choose-files.ts';
import { handFiles } from '../write/files/handed-files.ts';
import { Light } from '../write/light.tsx';
import { useDraftState } from '../write/use-draft.ts';
import { useSessionEnd } from '../write/use-session-end.ts';
import { isPlainReply } from './plain-reply.ts';

export interface ReplyHandle {
  readonly focus: () => void;
}

interface ReplyComposerProps {
  readonly entry: Entry;
  readonly userName: string;
  /** Whether the user asked for it: its text then gets the focus. */
  readonly isFirst: boolean;
  readonly handle: RefObject<ReplyHandle | null>;
  readonly onClose: () => void;
}

/** Writes a reply next to the entry. It is an ordinary draft; title and logbooks are those of the thread. */
export function ReplyComposer(props: ReplyComposerProps) {
  const { entry, userName } = props;
  const draft = useContinuedDraft({
    key: `reply ${entry.id} ${userName}`,
    userName,
    isWanted: (one) => isPlainReply(one, entry.id),
    beginning: replyTo(
      entry.id,
      entry.title,
      entry.logbooks.map(({ name }) => name),
    ),
  });
  return draft ? <Reply {...props} draft={draft} /> : <div className="reply-composer" />;
}

function Reply({ entry, isFirst, handle, onClose, draft: { open } }: ReplyComposerProps & { draft: ContinuedDraft }) {
  const { t } = useTranslation('write');
  const editor = useRef<EditorHandle>(null);
  const { draft, light, foreign } = useDraftState(open);
  useSessionEnd(open);
  useImperativeHandle(handle, () => ({ focus: () => editor.current?.focus() }), []);
  const { problem, change, send, leave, expand } = useReply(open, { entry, onClose });
  return (
    <section
      className="reply-composer"
      aria-label={t('replyTo', { id: formatId(entry.id) })}
      onKeyDown={(event) => onKeyDown(event, { send, leave })}
      onPasteCapture={(event) => onPaste(event, expand)}
      onDropCapture={(event) => takeFiles(event, event.dataTransfer, expand)}
    >
      <MarkdownEditor
        text={draft.content.text}
        foreign={foreign}
        label={t('text')}
        hint={t('replyHint')}
        isFirst={isFirst}
        handle={editor}
        actions={{ onImage: () => chooseFiles('image/*', (files) => void expand(files)) }}
        onChange={change}
      />
      {problem !== undefined && (
        <p className="hint bad" role="alert">
          {problem}
        </p>
      )}
      <div className="row">
        <Light light={light} />
        <span className="grow" />
        <IconButton small icon={Maximize2} label={t('expand')} onClick={() => void expand()} />
        <button type="button" className="button primary small" onClick={() => void send()}>
          {t('reply')}
          <kbd>{shownKeys('send')}</kbd>
        </button>
      </div>
    </section>
  );
}

/** Returns the actions of the reply. */
function useReply(open: OpenDraft, { entry, onClose }: Pick<ReplyComposerProps, 'entry' | 'onClose'>) {
  const { t } = useTranslation('write');
  const navigate = useNavigate();
  const [bootstrap, me] = [useBootstrap(), useMe()];
  const [problem, setProblem] = useState<string>();
  const isEmpty = () => open.draft.content.text.trim() === '';
  return {
    problem,
    change: (text: string) => {
      setProblem(undefined);
      open.change({ text });
    },
    /** Returns to the entry; the text is kept. */
    leave: () => {
      if (isEmpty()) onClose();
      focusEntry();
    },
    send: async () => {
      if (isEmpty()) return;
      const [found] = Object.values(checkDraft(open.draft, { bootstrap, me }, t)).filter((one) => one !== undefined);
      if (found !== undefined) return setProblem(found);
      await sendDraft(open).then(onClose, (error: unknown) => setProblem(String(error)));
      focusEntry();
    },
    /** Continues on the page for writing, with files if there are any. */
    expand: async (files: readonly File[] = []) => {
      handFiles(files);
      // The next key belongs to the page for writing.
      holdKeys();
      await open.store();
      const search = isEmpty() ? { reply: String(entry.id) } : {};
      return navigate({ to: (isEmpty() ? '/write' : `/write/${open.draft.id}`) as '/', search: search as object });
    },
  };
}

type ReplyActions = ReturnType<typeof useReply>;

function focusEntry(): void {
  document.querySelector<HTMLElement>('main.read')?.focus();
}

function onKeyDown(event: KeyboardEvent, { send, leave }: Pick<ReplyActions, 'send' | 'leave'>): void {
  if (event.defaultPrevented || isComposing(event.nativeEvent)) return;
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) void send();
  else if (event.key === 'Escape') leave();
  else return;
  event.preventDefault();
}

function onPaste(event: ClipboardEvent, expand: ReplyActions['expand']): void {
  if (event.clipboardData.getData('text/plain') === '') takeFiles(event, event.clipboardData, expand);
}

/** Files need the page for writing. The editor would read them into the text. */
function takeFiles(event: ClipboardEvent | DragEvent, { files }: DataTransfer, expand: ReplyActions['expand']): void {
  if (files.length === 0) return;
  event.preventDefault();
  event.stopPropagation();
  void expand([...files]);
}
