import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import type { InboxDelivery } from '../api/types.ts';
import { timeZone } from '../components/format.ts';
import { useMe } from '../session/me.ts';
import { showToast } from '../toasts/toasts.ts';
import { chooseDelivery, deliveryQuery } from './inbox-queries.ts';

/** Quiet hours of a user who turns them on, before the user sets others. */
const usualHours = { from: '22:00', to: '06:00' };

/** The choice of mails and quiet hours; nothing where the service sends no mails to users. */
export function Delivery() {
  const { t } = useTranslation('inbox');
  const userName = useMe()?.userName;
  const { data } = useQuery(deliveryQuery(userName));
  if (!data?.isMailOffered) return null;
  const { mail, mailAddress, quiet } = data;
  const save = (choice: Partial<Pick<InboxDelivery, 'mail' | 'quiet'>>) => {
    chooseDelivery(userName, { mail, quiet, ...choice }).catch((problem: Error) =>
      showToast(problem.message, { tone: 'problem' }),
    );
  };
  return (
    <section aria-label={t('delivery')}>
      <h2>{t('delivery')}</h2>
      <label className="inbox-choice">
        <input
          type="checkbox"
          checked={mail}
          disabled={mailAddress === null && !mail}
          onChange={() => save({ mail: !mail })}
        />
        {mailAddress === null ? t('mailWithoutAddress') : t('mailTo', { address: mailAddress })}
      </label>
      {mail && (
        <label className="inbox-choice">
          <input
            type="checkbox"
            checked={quiet !== null}
            onChange={() => save({ quiet: quiet ? null : { ...usualHours, zone: timeZone } })}
          />
          {t('quiet')}
        </label>
      )}
      {mail && quiet && (
        <div className="inbox-choice">
          <Time label={t('quietFrom')} value={quiet.from} onChange={(from) => save({ quiet: { ...quiet, from } })} />
          <Time label={t('quietTo')} value={quiet.to} onChange={(to) => save({ quiet: { ...quiet, to } })} />
          <span className="muted">{quiet.zone}</span>
        </div>
      )}
    </section>
  );
}

interface TimeProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Time({ label, value, onChange }: TimeProps) {
  return (
    <label>
      {label}{' '}
      <input
        // Typing a time goes through times that are meant by nobody.
        key={value}
        type="time"
        className="input"
        defaultValue={value}
        required
        onBlur={({ target }) => {
          if (target.value !== '' && target.value !== value) onChange(target.value);
        }}
      />
    </label>
  );
}
