import { type ReactElement, useState } from 'react';
import { Dialog, DialogTrigger, Popover, Pressable } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { formatForSearch } from '../components/format.ts';
import { withQuery } from './find-search.ts';
import { timesOf, withTimes } from './query-terms.ts';
import type { SearchControlProps } from './search-control-props.ts';
import './search-popover.css';

interface TimePopoverProps extends SearchControlProps {
  readonly trigger: ReactElement;
  readonly defaultOpen: boolean;
}

const amounts = ['1 hour', '8 hours', '24 hours', '3 days', '1 week', '1 month', '1 year'] as const;

/** The choices of the time picker. Use `TimePicker`, which loads them. */
export function TimePopover({ search, onChange, trigger, defaultOpen }: TimePopoverProps) {
  const { t } = useTranslation('find');
  const [isOpen, setOpen] = useState(defaultOpen);
  const { start, end } = timesOf(search.query);
  const choose = (from: string | undefined, until: string | undefined) => {
    setOpen(false);
    onChange(withQuery(search, withTimes(search.query, from, until)));
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Pressable>{trigger as React.ComponentProps<typeof Pressable>['children']}</Pressable>
      <Popover className="popover" placement="bottom end" offset={4}>
        <Dialog className="time-picker" aria-label={t('time')}>
          <div className="time-amounts">
            {amounts.map((amount) => (
              <button
                key={amount}
                type="button"
                className="button small"
                aria-pressed={start === amount && end === undefined}
                onClick={() => choose(amount, undefined)}
              >
                {t(`amounts.${amount}`)}
              </button>
            ))}
            <button
              type="button"
              className="button small"
              aria-pressed={start === undefined && end === undefined}
              onClick={() => choose(undefined, undefined)}
            >
              {t('ever')}
            </button>
          </div>
          <RangeForm start={start} end={end} onChoose={choose} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}

interface RangeFormProps {
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly onChoose: (start: string | undefined, end: string | undefined) => void;
}

/** Takes the start and the end: a date and time, or words such as `2 weeks`. */
function RangeForm({ start, end, onChoose }: RangeFormProps) {
  const { t } = useTranslation('find');
  const [from, setFrom] = useState(start ?? '');
  const [until, setUntil] = useState(end ?? '');
  const orNothing = (text: string) => (text.trim() === '' ? undefined : text.trim());
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onChoose(orNothing(from), orNothing(until));
      }}
    >
      <TimeField label={t('fromLabel')} value={from} onChange={setFrom} />
      <TimeField label={t('untilLabel')} value={until} onChange={setUntil} />
      <p className="hint">{t('timeHint')}</p>
      <button type="submit" className="button primary">
        {t('applyTime')}
      </button>
    </form>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A text that a calendar can fill, too. */
function TimeField({ label, value, onChange }: TimeFieldProps) {
  const { t } = useTranslation('find');
  const picked = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d))?/.exec(value);
  return (
    <div className="field">
      <label>
        <span className="label">{label}</span>
        <input
          className="input"
          value={value}
          placeholder={t('timePlaceholder')}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <input
        className="calendar"
        type="datetime-local"
        aria-label={t('calendar', { label })}
        value={picked ? `${picked[1]}T${picked[2] ?? '00:00'}` : ''}
        onChange={(event) => event.target.value && onChange(formatForSearch(new Date(event.target.value).getTime()))}
      />
    </div>
  );
}
