/*
 * The page that all test files share, because loading the page and modules for each file takes
 * longer than most files. Whatever a test leaves in the page is undone after the test.
 */
import { fixtureCleanup } from '@open-wc/testing';
import { expect, vi } from 'vitest';
import { startClock } from './clock.fixture.ts';

type Listen = EventTarget['addEventListener'];

const { fetch, open } = globalThis;
const { href } = location;
const state: unknown = history.state;
const roots = [document.documentElement, document.head, document.body].map((root) => ({
  root,
  shell: root.cloneNode() as Element,
  nodes: new Set(root.childNodes),
}));
const opened: (Window | null)[] = [];
const listening: [target: EventTarget, ...Parameters<Listen>][] = [];

globalThis.open = (...about) => {
  const window = open.apply(globalThis, about);
  opened.push(window);
  return window;
};
for (const target of [window, document, ...roots.map(({ root }) => root), visualViewport]) {
  if (!target) continue;
  const listen: Listen = target.addEventListener.bind(target);
  target.addEventListener = (...about: Parameters<Listen>) => {
    // The doctor and each catalog listen to the document once, for as long as the page exists.
    const isForGood = about[0] === 'securitypolicyviolation' || about[0] === 'visibilitychange';
    if (!isForGood) listening.push([target, ...about]);
    listen(...about);
  };
}

/** Returns state in the page that cannot always be undone. */
const lastingState = () => ({
  cookies: document.cookie,
  // Excludes the numeric properties, which are frames.
  globals: Object.getOwnPropertyNames(globalThis).filter((name) => !/^\d+$/.test(name)),
  removed: roots.flatMap(({ nodes }) => [...nodes]).filter((node) => !node.isConnected),
});
let lasting = lastingState();

/** Records the globals of test tools and of the test file's modules as belonging to the page. */
export function keepLastingState(): void {
  lasting = lastingState();
}

/** Undoes what a test has left in the page. @throws if something cannot be undone */
export function resetPage(): void {
  startClock();
  vi.restoreAllMocks();
  fixtureCleanup();
  globalThis.fetch = fetch;
  for (const one of opened.splice(0)) one?.close();
  for (const [target, ...about] of listening.splice(0)) target.removeEventListener(...about);
  for (const { root, shell, nodes } of roots) {
    for (const node of [...root.childNodes]) if (!nodes.has(node)) node.remove();
    for (const name of root.getAttributeNames()) root.removeAttribute(name);
    for (const { name, value } of shell.attributes) root.setAttribute(name, value);
  }
  document.adoptedStyleSheets = [];
  history.replaceState(state, '', href);
  sessionStorage.clear();
  localStorage.clear();
  scrollTo(0, 0);
  // A browser records at most 250 resources.
  performance.clearResourceTimings();
  const globals = new Set(lasting.globals);
  for (const name of lastingState().globals) {
    if (!globals.has(name)) Reflect.deleteProperty(globalThis, name);
  }
  const before = lasting;
  // Only the test that left something should fail.
  keepLastingState();
  expect(lasting).toEqual(before);
}
