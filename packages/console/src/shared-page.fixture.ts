import { afterAll, beforeAll, beforeEach, vi } from 'vitest';
import { currentEnvironment, currentSession } from './api/session.ts';
import { formats, language, setLanguage, setZone } from './locale/locale.ts';
import { setOwnImports, setServerImports } from './parts/running-imports.ts';

// All test files run in one page. After each test, passed or failed, the page is as it was before
// the file, so a file only has to restore what it changes in its own variables.

const { body, documentElement: root, head } = document;
const attributes = [root, body].map((element) => [element, attributesOf(element)] as const);
const headNodes = new Set(head.childNodes);
const { title } = document;
const hadComponents = hasComponents();
const ownZone = new Intl.DateTimeFormat().resolvedOptions().timeZone;

history.replaceState(null, '', '/');
// The formats of the browser's region, as after the console has started.
setZone(ownZone);

// A page evaluates each module only once, so what the first file adds stays for all later files.
beforeAll(() => {
  const styles = head.querySelectorAll('style[data-vite-dev-id]');
  for (const style of styles) style.remove();
  if (styles.length > 0) throw new Error('Import style sheets with ?inline, for useStyles().');
});
afterAll(() => {
  if (hasComponents() !== hadComponents) {
    throw new Error('The file has defined the components of Web Awesome, which stay defined.');
  }
});

beforeEach(({ onTestFinished }) => {
  const bodies = vi.spyOn(Response.prototype, 'json');
  const timers = [vi.spyOn(window, 'setInterval'), vi.spyOn(window, 'setTimeout')];
  const listeners = [window, document].map(
    (target: EventTarget) => [target, vi.spyOn(target, 'addEventListener')] as const,
  );
  // Runs after all other hooks of the test.
  onTestFinished(async () => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
    if (body.hasChildNodes()) await removeElements(bodies.mock.results);
    for (const { value } of timers.flatMap(({ mock }) => mock.results)) clearTimeout(Number(value));
    for (const [target, { mock }] of listeners) {
      for (const listener of mock.calls) target.removeEventListener(...listener);
    }
    vi.restoreAllMocks();
    restoreDocument();
    await restoreModules();
    localStorage.clear();
    sessionStorage.clear();
    for (const cookie of document.cookie.split('; ')) document.cookie = `${cookie}; max-age=0`;
    history.replaceState(null, '', '/');
  });
});

/**
 * Removes all elements and waits for their pending work, which would send requests and change
 * storage and history during the next test.
 */
async function removeElements(bodies: readonly { value: unknown }[]): Promise<void> {
  vi.stubGlobal('fetch', () => Promise.withResolvers().promise);
  body.replaceChildren();
  await Promise.allSettled(bodies.map(({ value }) => value));
  // Resize observers run after a frame's callbacks.
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  vi.unstubAllGlobals();
}

function restoreDocument(): void {
  for (const node of [...head.childNodes]) if (!headNodes.has(node)) node.remove();
  for (const [element, pairs] of attributes) {
    for (const name of element.getAttributeNames()) element.removeAttribute(name);
    for (const [name, value] of pairs) element.setAttribute(name, value);
  }
  document.title = title;
  document.adoptedStyleSheets = [];
}

async function restoreModules(): Promise<void> {
  setOwnImports([]);
  setServerImports([]);
  if (language() !== 'en') await setLanguage('en');
  if (formats().zone !== ownZone) setZone(ownZone);
  if (currentEnvironment() === '') return;
  // A session without a name of its environment is the only way back to none.
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ environment: '', name: '' })));
  await currentSession();
  vi.unstubAllGlobals();
}

function attributesOf(element: Element): [name: string, value: string][] {
  return Array.from(element.attributes, ({ name, value }) => [name, value]);
}

function hasComponents(): boolean {
  return customElements.get('wa-button') !== undefined;
}
