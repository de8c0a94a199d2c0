import { createContext, runInContext } from 'node:vm';
import { checkNotification } from '../../published/notifications.ts';
import { fail, NotCheckable, NotRun, pass, type Finding } from '../finding.ts';
import { rule, type Rule } from '../rule.ts';
import { isObject, type Subject } from '../subject.ts';

/** Rules beyond the API: notifications and the browser script. */
export const beyondRules: readonly Rule[] = [
  rule('notifications', 'Each notification has eventType and the fields of its event', (subject) =>
    Promise.resolve().then(() => notifications(subject)),
  ),
  rule(
    'browser-script',
    'The browser script sets ChargeAfter with promotions, and its init returns a promise',
    browserScript,
  ),
];

function notifications({ options }: Subject): Finding {
  if (!options.notifications) {
    throw new NotRun('Needs received notifications: --notifications-file.');
  }
  const bodies = options.notifications();
  if (bodies.length === 0) throw new NotCheckable('No notification was received.');
  const problems = bodies.flatMap((body) => {
    const eventType = isObject(body) ? String(body.eventType) : '';
    const name = /^[a-z]+\.[a-z.-]+$/.test(eventType) ? eventType : 'a notification';
    return checkNotification(body).map(({ path, reason }) => `${name}: ${path}: ${reason}`);
  });
  const distinct = [...new Set(problems)];
  if (distinct.length > 0) return fail(`${distinct.slice(0, 5).join('; ')}.`);
  return pass(`${bodies.length} notifications.`);
}

/** Time within which `payments` must appear after `init`, in milliseconds. */
const PATIENCE_MS = 2000;

/**
 * Runs the stand-in's script in this process, with a stub of a page. The real script needs a
 * browser, and a script from another machine must not run in this process.
 */
async function browserScript({ options }: Subject): Promise<Finding> {
  if (!options.browserScript) {
    throw new NotRun('The script needs a page: only the script of the stand-in is checked.');
  }
  const window: Record<string, unknown> = { setTimeout, clearTimeout, queueMicrotask };
  const address = 'http://localhost/sdk.js';
  window.window = window;
  window.location = { origin: 'http://localhost', href: 'http://localhost/' };
  window.URL = URL;
  window.URLSearchParams = URLSearchParams;
  window.document = {
    currentScript: { src: address, dataset: {} },
    querySelectorAll: () => [],
  };
  window.addEventListener = () => undefined;
  window.fetch = () => Promise.resolve(new Response('{}'));
  window.console = { error: () => undefined };
  try {
    runInContext(await options.browserScript(), createContext(window));
  } catch {
    return fail('It throws an error in an empty page.');
  }
  const sdk = window.ChargeAfter;
  if (!isObject(sdk) || typeof sdk.init !== 'function') {
    return fail('It sets no global ChargeAfter with init.');
  }
  for (const [name, functions] of [
    ['promotions', ['present', 'openLink', 'update']],
    ['promotionalWidget', ['present', 'update', 'rebuild']],
  ] as const) {
    const part = sdk[name];
    if (!isObject(part) || functions.some((each) => typeof part[each] !== 'function')) {
      return fail(`${name} lacks one of ${functions.join(', ')}.`);
    }
  }
  const init = sdk.init as (config: object) => unknown;
  const started = init({ apiKey: options.publicKey });
  if (typeof (started as PromiseLike<unknown> | undefined)?.then !== 'function') {
    return fail('init returns no promise.');
  }
  await started;
  for (const end = Date.now() + PATIENCE_MS; ;) {
    const { payments } = sdk;
    if (isObject(payments) && typeof payments.present === 'function') break;
    if (Date.now() > end) return fail('payments.present does not appear after init.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return pass('init returns a promise, and payments.present is there after it.');
}
