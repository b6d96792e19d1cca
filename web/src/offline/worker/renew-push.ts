import { clientInfo, clientInfoHeader } from '../../api/client-info.ts';
import { describeSubscription } from '../../inbox/push-subscription.ts';
import { pushLock } from '../../inbox/this-browser.ts';
import { inTurn } from '../in-turn.ts';
import { type PushChangeEvent, scope } from './worker-scope.ts';

/** Maximum duration of a renewal. A sign-out waits longer, so that no renewal succeeds after it. */
const answerWithinMs = 8_000;

/**
 * Subscribes again after the push service has ended the subscription, as it does when a browser was closed for weeks.
 * The browser stays without notifications if the user has removed it, or if the service does not answer.
 */
export async function renewPush({ oldSubscription }: PushChangeEvent, rootPath: string): Promise<void> {
  if (oldSubscription) await inTurn(pushLock, () => replace(oldSubscription, rootPath));
}

async function replace({ options, endpoint }: PushSubscription, rootPath: string): Promise<void> {
  // This is the existing subscription if the browser, or a page, has already made one.
  const subscription = await scope.registration.pushManager.subscribe(options);
  const answer = await fetch(`${rootPath}/me/browsers`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', [clientInfoHeader]: clientInfo },
    body: JSON.stringify({ ...describeSubscription(subscription), replaces: endpoint }),
    signal: AbortSignal.timeout(answerWithinMs),
  }).catch(() => undefined);
  if (!answer?.ok) await subscription.unsubscribe();
}
