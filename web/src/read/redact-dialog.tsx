import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, dataOf } from '../api/api.ts';
import { ApiError, problemText } from '../api/api-error.ts';
import type { Attachment, Entry } from '../api/types.ts';
import { ClosingModal } from '../components/closing.tsx';
import { shownFileName } from '../components/file-name.ts';
import { showToast } from '../toasts/toasts.ts';
import { shownProperties, versionsQuery } from './entry-queries.ts';

interface RedactDialogProps {
  readonly entry: Entry;
  readonly onClose: () => void;
}

/** Parts that can be chosen in addition to files. */
const parts = ['title', 'text', 'properties'] as const;
const maxReasonLength = 500;

interface RedactionInput extends Readonly<Record<(typeof parts)[number], boolean>> {
  /** Ids of the files. */
  readonly attachments: string[];
  readonly reason: string;
}

/** Asks an administrator what is removed from all versions of an entry, and why. */
export function RedactDialog({ entry, onClose }: RedactDialogProps) {
  const { t } = useTranslation('read');
  const { t: tCommon } = useTranslation();
  const { redact, problem } = useRedaction(entry, onClose);
  const isChanged = useRef(false);
  return (
    <ClosingModal className="question" label={t('redaction.title')} hasWork={() => isChanged.current} onClose={onClose}>
      {(close) => (
        <>
          <h1>{t('redaction.title')}</h1>
          <p>{t('redaction.text')}</p>
          <p className="muted">{t('redaction.backups')}</p>
          <form
            onChange={() => {
              isChanged.current = true;
            }}
            onSubmit={(event) => {
              event.preventDefault();
              void redact(toInput(new FormData(event.currentTarget)));
            }}
          >
            <Parts entry={entry} />
            <ReasonField />
            <p className="bad" role="alert">
              {problem}
            </p>
            <div className="row">
              <button type="submit" className="button primary danger">
                {t('redaction.confirm')}
              </button>
              <button type="button" className="button ghost" onClick={close}>
                {tCommon('cancel')}
              </button>
            </div>
          </form>
        </>
      )}
    </ClosingModal>
  );
}

/** Sends what was chosen; `problem` says why it cannot be sent. */
function useRedaction({ id }: Entry, onDone: () => void) {
  const { t } = useTranslation('read');
  const { t: tCommon } = useTranslation();
  const client = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [isSending, setSending] = useState(false);
  const send = async (input: RedactionInput) => {
    const answer = await api.POST('/logs/{logId}/redaction', { params: { path: { logId: String(id) } }, body: input });
    const { sameContent } = dataOf<{ readonly sameContent: readonly number[] }>(answer);
    onDone();
    if (sameContent.length === 0) showToast(t('redaction.done'));
    else {
      const elsewhere = { count: sameContent.length, ids: sameContent.join(', ') };
      showToast(t('redaction.sameContent', elsewhere), { tone: 'problem', durationMs: 30_000 });
    }
    // Data of the entry in this page must be removed as well.
    for (const name of ['entry', 'versions', 'hits', 'facets', 'thread'])
      void client.resetQueries({ queryKey: [name] });
  };
  const problemOf = (error: unknown): string => {
    const fault = error instanceof ApiError ? error : undefined;
    if (fault?.isOffline) return tCommon('problem.offlineTitle');
    if (fault && fault.status >= 500) return tCommon('problem.storageTitle');
    return problemText(error);
  };
  const redact = async (input: RedactionInput) => {
    if (isSending) return;
    const isChosen = parts.some((part) => input[part]) || input.attachments.length > 0;
    if (!isChosen || input.reason === '') {
      setProblem(t(isChosen ? 'redaction.noReason' : 'redaction.nothingChosen'));
      return;
    }
    setSending(true);
    try {
      await send(input);
    } catch (error) {
      setProblem(problemOf(error));
      setSending(false);
    }
  };
  return { redact, problem };
}

function Parts({ entry }: { readonly entry: Entry }) {
  const { t } = useTranslation('read');
  const versions = useQuery(versionsQuery(String(entry.id))).data ?? [entry];
  return (
    <fieldset className="field">
      <legend className="label">{t('redaction.what')}</legend>
      <Part name="title" label={t('fields.title')} />
      <Part name="text" label={t('fields.text')} />
      {versions.some((version) => shownProperties(version).length > 0) && (
        <Part name="properties" label={t('fields.properties')} />
      )}
      {filesOf(versions).map(({ id, filename }) => (
        <Part key={id} name="file" value={id} label={t('redaction.file', { name: shownFileName(filename) })} />
      ))}
    </fieldset>
  );
}

function ReasonField() {
  const { t } = useTranslation('read');
  const hintId = useId();
  return (
    <div className="field">
      <label>
        <span className="label">{t('redaction.reason')}</span>
        <textarea className="input" name="reason" rows={2} maxLength={maxReasonLength} aria-describedby={hintId} />
      </label>
      <p className="hint" id={hintId}>
        {t('redaction.reasonHint')}
      </p>
    </div>
  );
}

function Part({
  name,
  value = 'yes',
  label,
}: {
  readonly name: string;
  readonly value?: string;
  readonly label: string;
}) {
  return (
    <label className="check">
      <input type="checkbox" name={name} value={value} />
      <span dir="auto">{label}</span>
    </label>
  );
}

function toInput(form: FormData): RedactionInput {
  return {
    title: form.has('title'),
    text: form.has('text'),
    properties: form.has('properties'),
    attachments: form.getAll('file').map(String),
    reason: String(form.get('reason') ?? '').trim(),
  };
}

function filesOf(versions: readonly Entry[]): readonly Attachment[] {
  const files = new Map(versions.flatMap(({ attachments }) => attachments.map((file) => [file.id, file] as const)));
  return [...files.values()];
}
