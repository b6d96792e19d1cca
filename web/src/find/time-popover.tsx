import { type ReactElement, useId, useRef, useState } from 'react';
import { Dialog, DialogTrigger, Popover, Pressable } from 'react-aria-components';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../api/server-clock.ts';
import { formatForSearch } from '../components/search-time.ts';
import { locale } from '../i18n/i18n.ts';
import { withQuery } from './find-search.ts';
import { ProblemText } from './problem-text.tsx';
import { timesOf, withTimes } from './query-terms.ts';
import type { SearchControlProps } from './search-control-props.ts';
import { type Range, readRange } from './time-range.ts';
import './search-popover.css';

interface TimePopoverProps extends SearchControlProps {
  readonly trigger: ReactElement;
}

const amounts = ['1 hour', '8 hours', '24 hours', '3 days', '1 week', '1 month', '1 year'] as const;

/** The choices of the time picker. Use `TimePicker`, which loads them. */
export function TimePopover({ search, onChange, trigger }: TimePopoverProps) {
  const { t } = useTranslation('find');
  const [isOpen, setOpen] = useState(false);
  const { start, end } = timesOf(search.query);
  const choose = (from: string | undefined, until: string | undefined) => {
    setOpen(false);
    onChange(withQuery(search, withTimes(search.query, from, until)));
  };
  return (
    <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
      <Pressable>{trigger as React.ComponentProps<typeof Pressable>['children']}</Pressable>
      <Popover className="popover" placement="bottom end" offset={4}>
        <Dialog className="time-picker" data-modal="true" aria-label={t('time')}>
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

/** Takes the start and the end as someone writes them, and says how they were understood. */
function RangeForm({ start, end, onChoose }: RangeFormProps) {
  const { t } = useTranslation('find');
  const [written, write] = useState({ start: start ?? '', end: end ?? '' });
  const fields = useRef<HTMLFormElement>(null);
  const hintId = useId();
  const orNothing = (text: string) => (text.trim() === '' ? undefined : text);
  const range = readRange({ start: orNothing(written.start), end: orNothing(written.end) }, serverNow(), locale());
  const problem = 'kind' in range ? range : undefined;
  const field = (name: 'start' | 'end') => ({
    value: written[name],
    ms: 'kind' in range ? undefined : range[name]?.ms,
    isBad: problem?.end === name,
    hintId,
    onChange: (text: string) => write({ ...written, [name]: text }),
  });
  return (
    <form
      ref={fields}
      onSubmit={(event) => {
        event.preventDefault();
        if ('kind' in range) fields.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
        else onChoose(range.start?.text, range.end?.text);
      }}
    >
      <TimeField label={t('fromLabel')} {...field('start')} />
      <TimeField label={t('untilLabel')} {...field('end')} />
      <p className={`hint range-hint ${problem ? 'bad' : ''}`} id={hintId} role="status">
        {'kind' in range ? <ProblemText problem={range} /> : rangeText(range) || t('timeHint')}
      </p>
      <button type="submit" className="button primary">
        {t('applyTime')}
      </button>
    </form>
  );
}

/** The range with its days and times, as it was understood. */
function rangeText({ start, end }: Range): string {
  const format = new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' });
  if (start === undefined && end === undefined) return '';
  return [start, end]
    .map((time) => (time ? format.format(time.ms) : ''))
    .join(' – ')
    .trim();
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string;
  /** Value of the text; undefined if it is not understood. */
  readonly ms: number | undefined;
  readonly isBad: boolean;
  readonly hintId: string;
  readonly onChange: (value: string) => void;
}

/** A text field for a time. A calendar can also fill in a day. */
function TimeField({ label, value, ms, isBad, hintId, onChange }: TimeFieldProps) {
  const { t } = useTranslation('find');
  return (
    <div className="field">
      <label>
        <span className="label">{label}</span>
        <input
          className="input"
          value={value}
          placeholder={t('timePlaceholder')}
          autoComplete="off"
          aria-invalid={isBad}
          aria-describedby={hintId}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <input
        className="calendar"
        type="date"
        aria-label={t('calendar', { label })}
        value={ms === undefined ? '' : formatForSearch(ms).slice(0, 10)}
        onChange={(event) => event.target.value && onChange(event.target.value)}
      />
    </div>
  );
}
