import { Plus, X } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/server-clock.ts';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import type { DraftEvent } from '../../drafts/draft.ts';
import { isUnreadable } from '../check-draft.ts';
import { parseWhen, whenText } from './parse-when.ts';

interface WhenFieldProps {
  readonly events: readonly DraftEvent[];
  /** Whether the times cannot be changed, as in an edit. */
  readonly isFixed: boolean;
  /** Whether unreadable times are reported even while they are being typed. */
  readonly isReported: boolean;
  readonly onChange: (events: readonly DraftEvent[]) => void;
}

/** The times in the past that an entry mentions; searches find it by them. */
export function WhenField({ events, isFixed, isReported, onChange }: WhenFieldProps) {
  const { t } = useTranslation('write');
  const shown = events.length === 0 ? [undefined] : events;
  const name = t('eventDefault');
  const set = (at: number, event: DraftEvent | undefined) => {
    const next = event
      ? events.length === 0
        ? [event]
        : events.with(at, event)
      : events.filter((_, one) => one !== at);
    onChange(next);
  };
  return (
    <fieldset className="field when" disabled={isFixed}>
      <legend className="label">{t('when')}</legend>
      {shown.map((event, at) => (
        <EventRow
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows have no other identity
          key={at}
          event={event}
          isNamed={events.length > 1 || (event !== undefined && event.name !== name)}
          isReported={isReported}
          onChange={(changed) => set(at, changed)}
        />
      ))}
      <p className="hint">{t(isFixed ? 'whenFixed' : 'whenEmpty')}</p>
      {!isFixed && events.length > 0 && (
        <button
          type="button"
          className="button ghost small add"
          onClick={() => onChange([...events, { name: `${name} ${events.length + 1}`, instant: serverNow() }])}
        >
          <Icon of={Plus} />
          {t('addEvent')}
        </button>
      )}
    </fieldset>
  );
}

interface EventRowProps {
  readonly event: DraftEvent | undefined;
  readonly isNamed: boolean;
  readonly isReported: boolean;
  readonly onChange: (event: DraftEvent | undefined) => void;
}

function EventRow({ event, isNamed, isReported, onChange }: EventRowProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const name = event?.name ?? t('eventDefault');
  const { text, isTyping, setTime, finish } = useTypedTime(event, name, onChange);
  const isWrong = event !== undefined && isUnreadable(event) && (isReported || !isTyping);
  return (
    <div className="event">
      {isNamed && event && (
        <input
          className="input"
          aria-label={t('eventName')}
          value={event.name}
          onChange={({ target }) => onChange({ ...event, name: target.value })}
        />
      )}
      <div className="row">
        <label className="visually-hidden" htmlFor={id}>
          {isNamed ? name : t('when')}
        </label>
        <input
          id={id}
          className="input number grow"
          autoComplete="off"
          placeholder={t('whenHint')}
          value={text}
          aria-invalid={isWrong}
          aria-describedby={isWrong ? `${id}-problem` : undefined}
          onChange={({ target }) => setTime(target.value)}
          onBlur={finish}
        />
        {event && <IconButton icon={X} small label={t('removeEvent')} onClick={() => onChange(undefined)} />}
      </div>
      {isWrong && (
        <p className="hint bad" id={`${id}-problem`} role="alert">
          {t('whenWrong')}
        </p>
      )}
    </div>
  );
}

/** Returns the text of a time, which stays as it is typed until the field loses the focus. */
function useTypedTime(event: DraftEvent | undefined, name: string, onChange: EventRowProps['onChange']) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly event: DraftEvent | undefined }>();
  // The draft may have got another time from elsewhere.
  const isTyping = typed !== undefined && isSameTime(typed.event, event);
  return {
    text: isTyping ? typed.text : textOf(event),
    isTyping,
    setTime: (text: string) => {
      const next = text.trim() === '' ? undefined : toEvent(name, text);
      setTyped({ text, event: next });
      onChange(next);
    },
    finish: () => setTyped(undefined),
  };
}

function toEvent(name: string, text: string): DraftEvent {
  const instant = parseWhen(text);
  return instant === undefined ? { name, text } : { name, instant };
}

function textOf(event: DraftEvent | undefined): string {
  if (event === undefined) return '';
  return 'instant' in event ? whenText(event.instant) : event.text;
}

function isSameTime(one: DraftEvent | undefined, other: DraftEvent | undefined): boolean {
  return textOf(one) === textOf(other);
}
