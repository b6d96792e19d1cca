import { Plus, X } from 'lucide-react';
import { type FocusEvent, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/server-clock.ts';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { type DraftTime, isEmptyTime } from '../../drafts/draft-times.ts';
import { parseWhen, whenText } from './parse-when.ts';

interface WhenFieldProps {
  readonly times: readonly DraftTime[];
  /** Whether the times cannot be changed, as in an edit. */
  readonly isFixed: boolean;
  /** Whether unreadable times are reported even while they are being typed. */
  readonly isReported: boolean;
  readonly onChange: (times: readonly DraftTime[]) => void;
}

/** The times in the past that an entry mentions; searches find it by them. */
export function WhenField({ times, isFixed, isReported, onChange }: WhenFieldProps) {
  const { t } = useTranslation('write');
  const [events, change] = useRows(times, onChange);
  const shown = events.length === 0 ? [undefined] : events;
  const name = t('eventDefault');
  const { keys, removeKey } = useRowKeys(shown.length);
  const remove = (at: number) => {
    removeKey(at);
    change(events.filter((_, one) => one !== at));
  };
  return (
    <fieldset className="field when" disabled={isFixed}>
      <legend className="label">{t('when')}</legend>
      {shown.map((event, at) => (
        <EventRow
          key={keys[at]}
          event={event}
          isNamed={events.length > 1 || (event !== undefined && event.name !== name)}
          isReported={isReported}
          onChange={(changed) => change(events.length === 0 ? [changed] : events.with(at, changed))}
          onRemove={() => remove(at)}
        />
      ))}
      <p className="hint">{t(isFixed ? 'whenFixed' : 'whenEmpty')}</p>
      {!isFixed && events.length > 0 && (
        <button
          type="button"
          className="button ghost small add"
          onClick={() => change([...events, { name: `${name} ${events.length + 1}`, instant: serverNow() }])}
        >
          <Icon of={Plus} />
          {t('addEvent')}
        </button>
      )}
    </fieldset>
  );
}

/** Returns the times and the emptied rows between them, which the draft does not keep, and a function to change them. */
function useRows(times: readonly DraftTime[], onChange: WhenFieldProps['onChange']) {
  const [rows, setRows] = useState(times);
  // The draft may have got other times from elsewhere.
  const isCurrent = JSON.stringify(rows.filter((row) => !isEmptyTime(row))) === JSON.stringify(times);
  const change = (next: readonly DraftTime[]) => {
    setRows(next);
    onChange(next);
  };
  return [isCurrent ? rows : times, change] as const;
}

/** Returns a key for each row, so that a field keeps the focus when a row above it is removed. */
function useRowKeys(count: number) {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  while (keys.current.length < count) {
    keys.current.push(next.current);
    next.current += 1;
  }
  const removeKey = (at: number) => {
    // The only row stays, and is empty from then on.
    if (count > 1) keys.current.splice(at, 1);
  };
  return { keys: keys.current, removeKey };
}

interface EventRowProps {
  readonly event: DraftTime | undefined;
  readonly isNamed: boolean;
  readonly isReported: boolean;
  readonly onChange: (event: DraftTime) => void;
  readonly onRemove: () => void;
}

function EventRow({ event, isNamed, isReported, onChange, onRemove }: EventRowProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const name = event?.name ?? t('eventDefault');
  const { text, isTyping, setTime, finish } = useTypedTime(event, name, onChange);
  const isWrong = event !== undefined && 'text' in event && !isEmptyTime(event) && (isReported || !isTyping);
  // An emptied row stays while it has the focus, because another time may be typed into it.
  const removeEmptied = ({ currentTarget, relatedTarget }: FocusEvent) => {
    // The row also keeps the focus while another window is active.
    const isInside = currentTarget.contains(relatedTarget) || currentTarget.contains(document.activeElement);
    if (event && !isInside && text.trim() === '') onRemove();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only notices that the focus leaves
    <div className="event" onBlur={removeEmptied}>
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
        {event && <IconButton icon={X} small label={t('removeEvent')} onClick={onRemove} />}
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
function useTypedTime(event: DraftTime | undefined, name: string, onChange: EventRowProps['onChange']) {
  const [typed, setTyped] = useState<{ readonly text: string; readonly event: DraftTime }>();
  // The draft may have got another time from elsewhere.
  const isTyping = typed !== undefined && isSameTime(typed.event, event);
  return {
    text: isTyping ? typed.text : textOf(event),
    isTyping,
    setTime: (text: string) => {
      const next = toEvent(name, text);
      setTyped({ text, event: next });
      onChange(next);
    },
    finish: () => setTyped(undefined),
  };
}

function toEvent(name: string, text: string): DraftTime {
  const instant = parseWhen(text);
  return instant === undefined ? { name, text } : { name, instant };
}

function textOf(event: DraftTime | undefined): string {
  if (event === undefined) return '';
  return 'instant' in event ? whenText(event.instant) : event.text;
}

function isSameTime(one: DraftTime | undefined, other: DraftTime | undefined): boolean {
  return textOf(one) === textOf(other);
}
