/**
 * Posts each new entry to a web address, as the JSON that the API returns. Settings:
 *
 *     plugin.webhook-notifier.url = https://hooks.example.org/logbook
 *     plugin.webhook-notifier.token = …     (sent as Authorization: Bearer …)
 *
 * Load the file again under another name for a second address: plugins = webhook-notifier.js,
 * second=webhook-notifier.js
 *
 * @module
 * @typedef {import('../src/plugins/plugin.js').PluginContext} PluginContext
 * @typedef {import('../src/plugins/plugin.js').Plugin} Plugin
 */

/**
 * @param {PluginContext} context
 * @returns {Plugin}
 */
export default function webhookNotifier({ name, settings }) {
  const { url = '', token } = settings;
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Error(`plugin.${name}.url must be a web address such as https://hooks.example.org/logbook`);
  }
  return {
    async notifier(entry, signal) {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
        body: JSON.stringify(entry),
        // The token must not be sent to another address.
        redirect: 'error',
        signal,
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`the webhook responded with status ${response.status}`);
    },
  };
}
