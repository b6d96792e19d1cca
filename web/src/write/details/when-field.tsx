import { Plus, X } from 'lucide-react';
import { useEffect, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/server-clock.ts';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import type { DraftContent } from '../../drafts/draft.ts';
import { parseWhen, whenText } from './parse-when.ts';

type Event = DraftContent['events'][number];

interface WhenFieldProps {
  readonly events: readonly Event[];
  /** Whether the times cannot be changed, as in an edit. */
  readonly isFixed: boolean;
  readonly onChange: (events: readonly Event[]) => void;
}

/** The times in the past that an entry mentions; searches find it by them. */
export function WhenField({ events, isFixed, onChange }: WhenFieldProps) {
  const { t } = useTranslation('write');
  const shown = events.length === 0 ? [undefined] : events;
  const name = t('eventDefault');
  const set = (at: number, event: Event | undefined) => {
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
  readonly event: Event | undefined;
  readonly isNamed: boolean;
  readonly onChange: (event: Event | undefined) => void;
}

function EventRow({ event, isNamed, onChange }: EventRowProps) {
  const { t } = useTranslation('write');
  const id = useId();
  const name = event?.name ?? t('eventDefault');
  const [text, setText] = useState(event ? whenText(event.instant) : '');
  const [isWrong, setWrong] = useState(false);
  const instant = event?.instant;
  useEffect(() => {
    // Keep the text that is being typed.
    setText((shown) => (parseWhen(shown) === instant ? shown : instant === undefined ? '' : whenText(instant)));
  }, [instant]);
  const setTime = (value: string) => {
    setText(value);
    setWrong(false);
    const parsed = parseWhen(value);
    if (parsed !== undefined) onChange({ name, instant: parsed });
    else if (value.trim() === '') onChange(undefined);
  };
  const finish = () => {
    const parsed = parseWhen(text);
    setWrong(parsed === undefined && text.trim() !== '');
    if (parsed !== undefined) setText(whenText(parsed));
  };
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
