import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../api/types.ts';
import type { DraftState, OpenDraft } from '../drafts/open-draft.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useShortcut } from '../keys/use-shortcut.ts';
import type { EditorHandle } from '../write/editor/editor-handle.ts';
import { MarkdownEditor } from '../write/editor/markdown-editor.tsx';
import { FileList } from '../write/files/file-list.tsx';
import { formatLimit } from '../write/files/file-names.ts';
import { useDropAndPaste } from '../write/files/use-drop-and-paste.ts';
import { useFiles } from '../write/files/use-files.ts';
import { Preview } from '../write/preview.tsx';
import { Toolbar } from '../write/toolbar.tsx';
import { useUploads } from '../write/use-uploads.ts';

/** Returns the text without opening it: a hand-over that is only looked at is not a draft yet. */
export function useTextState(open: OpenDraft): DraftState {
  return useSyncExternalStore(open.watch, open.read);
}

interface HandOverTextProps {
  readonly open: OpenDraft;
  readonly plan: Bootstrap;
  /** Whether the text takes the focus. */
  readonly isFirst: boolean;
  /** Called when the preparation of files begins or ends. */
  readonly onPreparing: (isPreparing: boolean) => void;
}

/** The text for the next shift with its files, as source or as it will be read. */
export function HandOverText({ open, plan, isFirst, onPreparing }: HandOverTextProps) {
  const { t } = useTranslation('hand-over');
  const { t: tWrite } = useTranslation('write');
  const { draft, foreign, light } = useTextState(open);
  const editor = useRef<EditorHandle>(null);
  const [isPreview, setPreview] = useState(false);
  const files = useFiles({ open, bootstrap: plan, editor });
  const continueUploads = useUploads(draft, light);
  const isDropping = useDropAndPaste(files.add);
  useShortcut('preview', () => setPreview(!isPreview));
  const isPreparing = files.pending.some(({ problem }) => problem === undefined);
  useEffect(() => {
    onPreparing(isPreparing);
  }, [isPreparing, onPreparing]);
  return (
    <section className="hand-over-text" aria-labelledby="hand-over-text">
      <h2 className="row" id="hand-over-text">
        {t('forNextShift')}
        <span className="grow" />
        <span className="muted">{t('filledIn')}</span>
      </h2>
      <div className="box">
        <div className="text-tools">
          <Toolbar onRun={(command) => editor.current?.run(command)} onFiles={files.add} />
          <button
            type="button"
            className="button ghost small"
            aria-pressed={isPreview}
            onClick={() => setPreview(!isPreview)}
          >
            {tWrite('preview')}
            <kbd>{shownKeys('preview')}</kbd>
          </button>
        </div>
        {/* The editor stays: its cursor and its undo belong to the text. */}
        <div className="text-source" hidden={isPreview}>
          <MarkdownEditor
            text={draft.content.text}
            isFirst={isFirst}
            startsAtEnd
            foreign={foreign}
            label={t('forNextShift')}
            hint={t('textHint')}
            onChange={(text) => open.change({ text })}
            handle={editor}
          />
        </div>
        {isPreview && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
          <div className="text-preview" tabIndex={0} role="document" aria-label={tWrite('preview')}>
            <Preview draft={draft} onText={open.replaceText} />
          </div>
        )}
        <FileList draft={draft} files={files} onContinue={continueUploads} />
      </div>
      <Limits limits={plan.limits} />
      {isDropping && <div className="drop-mark">{tWrite('dropHere')}</div>}
    </section>
  );
}

/** Shows the limits before they are reached. */
function Limits({ limits }: Pick<Bootstrap, 'limits'>) {
  const { t } = useTranslation('write');
  const [file, all] = [formatLimit(limits.maxFileSize), formatLimit(limits.maxRequestSize)];
  return (
    <p className="hint row">
      {t('filesHint')}
      <span className="grow" />
      <span className="number">{t('limits', { file, all })}</span>
    </p>
  );
}
