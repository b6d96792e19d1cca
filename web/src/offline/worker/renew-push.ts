import { clientInfo, clientInfoHeader } from '../../api/client-info.ts';
import { describeSubscription } from '../../inbox/push-subscription.ts';
import { type PushChangeEvent, scope } from './worker-scope.ts';

/**
 * Subscribes again after the push service has ended the subscription, as it does when a browser was closed for weeks.
 * The browser stays without notifications if the user has removed it, or if the service does not answer.
 */
export async function renewPush(
  { oldSubscription, newSubscription }: PushChangeEvent,
  rootPath: string,
): Promise<void> {
  if (!oldSubscription) return;
  const { pushManager } = scope.registration;
  const subscription = newSubscription ?? (await pushManager.subscribe(oldSubscription.options));
  const body = { ...describeSubscription(subscription), replaces: oldSubscription.endpoint };
  const answer = await fetch(`${rootPath}/me/browsers`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', [clientInfoHeader]: clientInfo },
    body: JSON.stringify(body),
  }).catch(() => undefined);
  if (!answer?.ok) await subscription.unsubscribe();
}
