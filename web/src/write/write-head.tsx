import { ChevronLeft, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import type { Bootstrap } from '../api/types.ts';
import { useViewport } from '../app/viewport.ts';
import { formatId } from '../components/format.ts';
import { IconButton } from '../components/icon-button.tsx';
import { type Draft, otherAuthor } from '../drafts/draft.ts';
import type { OpenDraft } from '../drafts/open-draft.ts';
import type { Light as LightState } from '../drafts/server-copy.ts';
import { shownKeys } from '../keys/shortcuts.ts';
import { useMe } from '../session/me.ts';
import { Light } from './light.tsx';
import { fillFrom, TemplatePicker } from './template-picker.tsx';
import type { Sending } from './use-sending.ts';
import type { WriteView } from './write-view.ts';

interface WriteHeadProps {
  readonly open: OpenDraft;
  readonly draft: Draft;
  readonly light: LightState;
  readonly bootstrap: Bootstrap | undefined;
  readonly view: WriteView;
  readonly setView: (view: WriteView) => void;
  readonly sending: Sending;
}

/** Shows the purpose of the draft, where it is stored, and the buttons that send and discard it. */
export function WriteHead({ open, draft, light, bootstrap, view, setView, sending }: WriteHeadProps) {
  const { t } = useTranslation('write');
  const viewport = useViewport();
  const isPhone = viewport === 'phone';
  const isNarrow = isPhone || viewport === 'tablet';
  const picker = (
    <TemplatePicker
      bootstrap={bootstrap}
      chosen={draft.templateName}
      onChoose={(template, templateName) => open.fill(fillFrom(open.draft.content, template), templateName)}
    />
  );
  return (
    <>
      <div className="write-head">
        <IconButton
          icon={isPhone ? X : ChevronLeft}
          label={t(isPhone ? 'closeKept' : 'back')}
          onClick={sending.leave}
        />
        <Heading draft={draft} isHidden={isPhone} />
        {!isPhone && draft.purpose.kind === 'new' && picker}
        {viewport !== 'wide' && <ViewSwitch view={view} setView={setView} />}
        <span className="grow" />
        {!isNarrow && <Light light={light} />}
        {!isPhone && (
          <button type="button" className="button ghost danger" onClick={() => void sending.discard()}>
            {t('discard')}
          </button>
        )}
        <SendButton draft={draft} isShort={isPhone} onSend={() => void sending.send()} />
      </div>
      {isNarrow && (
        <div className="write-head-light">
          <Light light={light} />
        </div>
      )}
    </>
  );
}

function Heading({ draft, isHidden }: { readonly draft: Draft; readonly isHidden: boolean }) {
  const { t } = useTranslation('write');
  const { purpose } = draft;
  const id = purpose.kind === 'edit' ? purpose.base.entryId : purpose.kind === 'reply' ? purpose.to : 0;
  const text = {
    new: t('newEntry'),
    reply: t('replyTo', { id: formatId(id) }),
    edit: t('editOf', { id: formatId(id) }),
  };
  return (
    <>
      <h1 className={isHidden ? 'visually-hidden' : 'number'}>{text[purpose.kind]}</h1>
      {!isHidden && purpose.kind === 'edit' && (
        <span className="muted number">{t('fromVersion', { version: purpose.base.version })}</span>
      )}
    </>
  );
}

function ViewSwitch({ view, setView }: Pick<WriteHeadProps, 'view' | 'setView'>) {
  const { t } = useTranslation('write');
  return (
    // biome-ignore lint/a11y/useSemanticElements: two buttons, not a group of form fields
    <span className="segment" role="group" aria-label={t('view')}>
      {(['write', 'preview'] as const).map((one) => (
        <button
          key={one}
          type="button"
          className="button"
          aria-pressed={view === one || (one === 'write' && view === 'details')}
          onClick={() => setView(one)}
        >
          {t(one)}
        </button>
      ))}
    </span>
  );
}

interface SendButtonProps {
  readonly draft: Draft;
  readonly isShort: boolean;
  readonly onSend: () => void;
}

const sendTexts = {
  new: ['create', 'createShort'],
  reply: ['reply', 'replyShort'],
  edit: ['save', 'saveShort'],
} as const;

function SendButton({ draft, isShort, onSend }: SendButtonProps) {
  const { t } = useTranslation('write');
  const me = useMe();
  const [long, short] = sendTexts[draft.purpose.kind];
  const needsSignIn = me?.userName === null || otherAuthor(draft, me) !== undefined;
  const text = needsSignIn && !isShort ? 'signInAndSend' : isShort ? short : long;
  return (
    <button type="button" className="button primary" onClick={onSend}>
      {t(text)}
      {!isShort && <kbd>{shownKeys('send')}</kbd>}
    </button>
  );
}
