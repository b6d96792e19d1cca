import { Plus, X } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Icon } from '../../components/icon.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import type { DraftContent } from '../../drafts/draft.ts';

type Event = DraftContent['events'][number];

interface WhenFieldProps {
  readonly events: readonly Event[];
  /** An edit cannot change them. */
  readonly isFixed: boolean;
  readonly onChange: (events: readonly Event[]) => void;
}

/** The times in the past that an entry tells of; searches find it by them. */
export function WhenField({ events, isFixed, onChange }: WhenFieldProps) {
  const { t } = useTranslation('write');
  const shown = events.length === 0 ? [undefined] : events;
  const name = t('eventDefault');
  const set = (at: number, event: Event | undefined) => {
    const next = event ? (events.length === 0 ? [event] : events.with(at, event)) : events.filter((_, one) => one !== at);
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
          onClick={() => onChange([...events, { name: `${name} ${events.length + 1}`, instant: Date.now() }])}
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
  const setTime = (value: string) => {
    const instant = value === '' ? Number.NaN : new Date(value).getTime();
    onChange(Number.isNaN(instant) ? undefined : { name, instant });
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
          type="datetime-local"
          step={1}
          value={event ? toLocalText(event.instant) : ''}
          onChange={({ target }) => setTime(target.value)}
        />
        {event && <IconButton icon={X} small label={t('removeEvent')} onClick={() => onChange(undefined)} />}
      </div>
    </div>
  );
}

/** `2026-11-17T03:47:51` in the zone of the browser. */
function toLocalText(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}
