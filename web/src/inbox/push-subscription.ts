/** Returns what the service needs to send notifications to this browser. */
export function describeSubscription(subscription: PushSubscription) {
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const { p256dh: publicKey = '', auth: secret = '' } = keys;
  return { endpoint, publicKey, secret, name: nameOfBrowser(navigator.userAgent) };
}

function nameOfBrowser(userAgent: string): string {
  const [browser = 'Browser'] = ['Edg', 'Firefox', 'Chrome', 'Safari'].filter((name) => userAgent.includes(name));
  const [system] = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'Linux'].filter((name) => userAgent.includes(name));
  return [browser.replace('Edg', 'Edge'), system].filter((part) => part !== undefined).join(', ');
}
