interface TrustedTypePolicy {
  readonly createHTML: (html: string) => unknown;
  readonly createScriptURL: (url: string) => unknown;
}

interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: Record<'createHTML' | 'createScriptURL', (text: string) => string>,
  ) => TrustedTypePolicy;
}

/** The one policy that the Content-Security-Policy allows. Browsers without Trusted Types have none. */
const policy = (globalThis as { readonly trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('logbook', {
  createHTML: (html) => html,
  createScriptURL: (url) => {
    if (new URL(url, location.href).origin !== location.origin)
      throw new TypeError(`not a script of this service: ${url}`);
    return url;
  },
});

/** Marks HTML as safe for the page. It must come from a renderer that lets no markup of users through. */
export function trustedHtml(html: string): string {
  return (policy?.createHTML(html) ?? html) as string;
}

/** Registers the service worker at this address. The browser checks its scripts with the service each time. */
export function registerServiceWorker(url: string): Promise<ServiceWorkerRegistration | undefined> {
  const script = (policy?.createScriptURL(url) ?? url) as string;
  return navigator.serviceWorker.register(script, { scope: '/', updateViaCache: 'none' });
}

/** Starts a module worker of the build. */
export function startWorker(url: string): Worker {
  return new Worker((policy?.createScriptURL(url) ?? url) as string, { type: 'module' });
}

/** Parses XML for reading, never for display. If it is malformed, the result has the element `parsererror`. */
export function parseXml(xml: string): Document {
  return new DOMParser().parseFromString((policy?.createHTML(xml) ?? xml) as string, 'application/xml');
}
