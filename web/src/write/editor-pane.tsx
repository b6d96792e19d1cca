import { ChevronDown, Ellipsis } from 'lucide-react';
import { lazy, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorBoundary } from '../app/error-boundary.tsx';
import type { Viewport } from '../app/viewport.ts';
import { Icon } from '../components/icon.tsx';
import { IconButton } from '../components/icon-button.tsx';
import { Level } from '../components/level.tsx';
import type { Draft } from '../drafts/draft.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import { awaitField, giveKeysTo } from '../keys/held-keys.ts';
import { pressedKeys } from '../keys/pressed-keys.ts';
import { useBootstrap, useHasHistory } from '../session/me.ts';
import type { DraftProblems } from './check-draft.ts';
import type { SlashActions } from './completions/slash-commands.ts';
import type { EditorHandle } from './editor/editor-handle.ts';
import { canCapture, captureScreen } from './files/capture-screen.ts';
import { chooseFiles } from './files/choose-files.ts';
import { FileList } from './files/file-list.tsx';
import { formatLimit } from './files/file-names.ts';
import type { DraftFiles } from './files/use-files.ts';
import { fillFrom } from './template-picker.tsx';
import { Toolbar } from './toolbar.tsx';
import { useTemplate } from './use-template.ts';
import type { WriteView } from './write-view.ts';

const MarkdownEditor = lazy(() =>
  import('./editor/markdown-editor.tsx').then(({ MarkdownEditor: component }) => ({ default: component })),
);

interface EditorPaneProps {
  readonly open: OpenDraft;
  readonly draft: Draft;
  readonly foreign: number;
  readonly editor: RefObject<EditorHandle | null>;
  readonly files: DraftFiles;
  readonly problems: DraftProblems;
  readonly viewport: Viewport;
  readonly view: WriteView;
  readonly setView: (view: WriteView) => void;
  readonly onContinue: () => void;
  /** The details, which a phone shows in place of the text. */
  readonly children: ReactNode;
}

/** Title, text and files. */
export function EditorPane(props: EditorPaneProps) {
  const { open, draft, foreign, editor, files, problems, viewport, view, setView, onContinue, children } = props;
  const { t } = useTranslation('write');
  const isPhone = viewport === 'phone';
  const actions = useSlashActions(props);
  const [isTextFirst, putTextFirst] = useState(draft.content.title !== '');
  const awaited = useRef<HTMLParagraphElement>(null);
  const goToText = (): boolean => {
    if (isPhone && view === 'details') return false;
    if (editor.current) editor.current.focus();
    else if (awaited.current) {
      awaitField(window.location.pathname + window.location.search);
      putTextFirst(true);
    } else return false;
    return true;
  };
  const tools = <Toolbar onRun={(command) => editor.current?.run(command)} onFiles={files.add} />;
  return (
    <section className="pane" aria-label={t('text')}>
      <TitleField open={open} draft={draft} problem={problems.title} onTab={goToText} />
      {isPhone && <PhoneDetails {...{ draft, view, setView }} />}
      {isPhone && view === 'details' && <div className="rail">{children}</div>}
      {!isPhone && tools}
      <div className="text-place" hidden={isPhone && view === 'details'}>
        <ErrorBoundary>
          <Suspense
            fallback={
              <p ref={awaited} className="muted preview-empty">
                {draft.content.text}
              </p>
            }
          >
            <MarkdownEditor
              text={draft.content.text}
              foreign={foreign}
              label={t('text')}
              hint={t('textHint')}
              isFirst={isTextFirst}
              handle={editor}
              actions={actions}
              onChange={(text) => open.change({ text })}
            />
          </Suspense>
        </ErrorBoundary>
      </div>
      {problems.text !== undefined && (
        <p className="hint bad text-problem" role="alert">
          {problems.text}
        </p>
      )}
      <FileList draft={draft} files={files} onContinue={onContinue} />
      {isPhone ? tools : <Limits />}
    </section>
  );
}

/** Returns the actions of the menu of the text. A template that is chosen there adds its text to one that has begun. */
function useSlashActions({ open, draft, editor, files }: EditorPaneProps): SlashActions {
  const templates = useBootstrap()?.templates;
  const hasHistory = useHasHistory();
  const choose = useTemplate((template, name) => {
    const isBegun = open.draft.content.text.trim() !== '';
    open.fill(fillFrom(open.draft.content, template), name);
    if (isBegun) editor.current?.insertBlock(template.text);
  });
  return {
    hasHistory,
    onImage: () => chooseFiles('image/*', files.add),
    ...(canCapture() && { onCapture: () => void captureScreen().then((file) => file && files.add([file])) }),
    ...(draft.purpose.kind === 'new' && { templates, onTemplate: (template) => void choose(template) }),
  };
}

function TitleField({
  open,
  draft,
  problem,
  onTab,
}: {
  readonly open: OpenDraft;
  readonly draft: Draft;
  readonly problem?: string | undefined;
  /** Called for Tab, which goes to the text. Returns false if there is none. */
  readonly onTab: () => boolean;
}) {
  const { t } = useTranslation('write');
  const input = useRef<HTMLInputElement>(null);
  // The title gets the focus first. A reply already has a title, so its text gets the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: when the page opens, not later
  useEffect(() => {
    if (draft.content.title === '' && input.current) giveKeysTo(input.current);
  }, []);
  return (
    <div className="title-field">
      <input
        ref={input}
        aria-label={t('title')}
        placeholder={t('titleHint')}
        value={draft.content.title}
        aria-invalid={problem !== undefined}
        aria-describedby="title-problem"
        onChange={({ target }) => open.change({ title: target.value })}
        onKeyDown={(event) => {
          // Tab skips the tools between title and text. Shift Tab in the text leads to them.
          if (pressedKeys(event.nativeEvent) === 'Tab' && onTab()) event.preventDefault();
        }}
      />
      <p id="title-problem" className="hint bad" role="alert">
        {problem}
      </p>
    </div>
  );
}

function PhoneDetails({ draft, view, setView }: Pick<EditorPaneProps, 'draft' | 'view' | 'setView'>) {
  const { t } = useTranslation('write');
  const bootstrap = useBootstrap();
  const toggle = () => setView(view === 'details' ? 'write' : 'details');
  const isOpen = view === 'details';
  const { level, logbooks } = draft.content;
  return (
    <div className="row phone-details">
      <button type="button" className="button" aria-expanded={isOpen} onClick={toggle}>
        <Level level={level || bootstrap?.defaultLevel || 'Info'} />
        <Icon of={ChevronDown} />
      </button>
      <button type="button" className="button grow" aria-expanded={isOpen} onClick={toggle}>
        <span className="cut">{logbooks.length === 0 ? t('addLogbook') : logbooks.join(', ')}</span>
        <Icon of={ChevronDown} />
      </button>
      <IconButton icon={Ellipsis} className="" label={t('moreDetails')} aria-expanded={isOpen} onClick={toggle} />
    </div>
  );
}

/** Shows the limits before they are reached. */
function Limits() {
  const { t } = useTranslation('write');
  const limits = useBootstrap()?.limits;
  return (
    <div className="write-foot">
      <span>{t('filesHint')}</span>
      <span className="grow" />
      {limits && (
        <span className="number limits">
          {t('limits', { file: formatLimit(limits.maxFileSize), all: formatLimit(limits.maxRequestSize) })}
        </span>
      )}
    </div>
  );
}
