import { queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { problemText } from '../api/api-error.ts';
import { queryClient } from '../api/query-client.ts';
import type { InboxDelivery } from '../api/types.ts';
import { timeZone } from '../components/format.ts';
import { useMe } from '../session/me.ts';
import { showProblem } from '../toasts/show-problem.ts';
import { showToast } from '../toasts/toasts.ts';
import { addThisBrowser, canShowPushes, idOfThisBrowser } from './choose-this-browser.ts';
import { chooseDelivery, type DeliveryChoice, deliveryQuery, removeBrowser, type UserName } from './inbox-queries.ts';
import { removeThisBrowser } from './this-browser.ts';

/** Quiet hours of a user who turns them on, before the user sets others. */
const usualHours = { from: '22:00', to: '06:00' };

/** Choices for mails, chat messages, notifications and quiet hours; nothing if the service sends none to users. */
export function Delivery() {
  const { t } = useTranslation('inbox');
  const userName = useMe()?.userName;
  const { data } = useQuery(deliveryQuery(userName));
  if (!data || (!data.isMailOffered && data.chatRecipient === null && data.pushKey === null)) return null;
  const { mail, mailAddress, chat, chatRecipient, quiet, isMailOffered, browsers } = data;
  const save = (choice: Partial<DeliveryChoice>) => {
    chooseDelivery(userName, { mail, quiet, ...choice }).catch(showProblem);
  };
  const isSent = mail || (chat && chatRecipient !== null) || browsers.length > 0;
  return (
    <section aria-label={t('delivery')}>
      <h2>{t('delivery')}</h2>
      {isMailOffered && (
        <label className="inbox-choice">
          <input
            type="checkbox"
            checked={mail}
            disabled={mailAddress === null && !mail}
            onChange={() => save({ mail: !mail })}
          />
          {mailAddress === null ? t('mailWithoutAddress') : t('mailTo', { address: mailAddress })}
        </label>
      )}
      {chatRecipient !== null && (
        <label className="inbox-choice">
          <input type="checkbox" checked={chat} onChange={() => save({ chat: !chat })} />
          {t('chatTo', { name: chatRecipient })}
        </label>
      )}
      <Browsers delivery={data} />
      {isSent && (
        <label className="inbox-choice">
          <input
            type="checkbox"
            checked={quiet !== null}
            onChange={() => save({ quiet: quiet ? null : { ...usualHours, zone: timeZone } })}
          />
          {t('quiet')}
        </label>
      )}
      {isSent && quiet && (
        <div className="inbox-choice">
          <Time label={t('quietFrom')} value={quiet.from} onChange={(from) => save({ quiet: { ...quiet, from } })} />
          <Time label={t('quietTo')} value={quiet.to} onChange={(to) => save({ quiet: { ...quiet, to } })} />
          <span className="muted">{quiet.zone}</span>
        </div>
      )}
    </section>
  );
}

/** Query for the id of this browser; null: it shows no notifications. Read again whenever the delivery is read. */
const ownIdQuery = (userName: UserName) =>
  queryOptions({
    queryKey: [...deliveryQuery(userName).queryKey, 'here'],
    queryFn: async () => (await idOfThisBrowser(String(userName))) ?? null,
    enabled: typeof userName === 'string',
    staleTime: 0,
  });

/** The browsers that show notifications: this one, to switch on and off, and the others, to switch off. */
function Browsers({ delivery: { browsers, pushKey } }: { readonly delivery: InboxDelivery }) {
  const { t } = useTranslation('inbox');
  const userName = useMe()?.userName;
  const [isChanging, setChanging] = useState(false);
  const { data: ownId } = useQuery(ownIdQuery(userName));
  if (typeof userName !== 'string' || ownId === undefined) return null;
  const own = browsers.find(({ id }) => id === ownId);
  const toggle = async () => {
    setChanging(true);
    try {
      if (own) {
        await removeThisBrowser();
        await removeBrowser(userName, own.id);
      } else if (pushKey !== null) {
        if (!(await addThisBrowser(userName, pushKey))) showToast(t('pushDenied'), { tone: 'problem' });
        await queryClient.invalidateQueries({ queryKey: deliveryQuery(userName).queryKey });
      }
    } catch (problem) {
      showToast(t('pushFailed', { reason: problemText(problem) }), { tone: 'problem' });
    } finally {
      setChanging(false);
    }
  };
  return (
    <>
      {canShowPushes() && (own || pushKey !== null) && (
        <label className="inbox-choice">
          <input
            type="checkbox"
            checked={own !== undefined}
            aria-disabled={isChanging}
            onChange={() => {
              if (!isChanging) void toggle();
            }}
          />
          {t('pushHere')}
        </label>
      )}
      {browsers
        .filter((one) => one !== own)
        .map(({ id, name }) => (
          <label key={id} className="inbox-choice">
            <input type="checkbox" checked onChange={() => void removeBrowser(userName, id).catch(showProblem)} />
            {t('pushOther', { name })}
          </label>
        ))}
    </>
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
        // The value is read when the field loses the focus: a time that is being typed passes through unintended values.
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
