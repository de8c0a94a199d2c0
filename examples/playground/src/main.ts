import '@financing-checkout/widget/define';
import '@financing-checkout/widget/message/define';
import '@financing-checkout/widget/prequalify/define';
import { type Choice, codeOf } from './code.ts';
import { ALL, drawControls } from './controls.ts';
import { elements } from './manifest.ts';
import { directionOf } from './presets.ts';
import { reach, states } from './states.ts';

const find = (selector: string): HTMLElement => {
  const found = document.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`The page has no ${selector}.`);
  return found;
};
const form = document.forms[0] ?? document.createElement('form');
const stage = find('#stage');
const events = find('#events');
const theme = Object.assign(document.createElement('link'), { rel: 'stylesheet', disabled: true });
document.head.append(theme);

/** The settings in the URL. `bare` shows only the element. */
const query = new URLSearchParams(location.search);
const root = document.documentElement;
root.toggleAttribute('data-bare', query.has('bare'));
if (window !== parent) stayPut();

/** The element named in the URL, or else the first one. */
const current = elements.find(({ tag }) => tag === query.get('element')) ?? elements[0];

for (const { tag } of elements) {
  const link = document.createElement('a');
  link.href = `?element=${tag}`;
  link.textContent = `<${tag}>`;
  if (tag === current?.tag) link.setAttribute('aria-current', 'page');
  find('#elements').append(link);
}

if (current) {
  find('#element-title').textContent = `<${current.tag}>`;
  find('#summary').textContent = current.summary;
  drawControls(form, current);
  for (const [name, value] of query) {
    const control = form.elements.namedItem(name);
    if (control instanceof HTMLInputElement || control instanceof HTMLSelectElement) {
      control.value = value;
    }
  }
  form.addEventListener('change', draw);
  form.addEventListener('submit', (event) => event.preventDefault());
  for (const name of eventNames(current.tag)) document.addEventListener(name, logEvent);
  find('#copy').addEventListener('click', () => void copy());
  draw();
}

/** Prevents an element that takes the focus from scrolling the page around its frame. */
function stayPut(): void {
  const { focus } = Object.getOwnPropertyDescriptors(HTMLElement.prototype);
  HTMLElement.prototype.focus = function (this: HTMLElement) {
    focus.value?.call(this, { preventScroll: true });
  };
}

/** Reads the form's values. */
function readChoice(tag: string): Choice {
  const fields = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
  );
  const named = (prefix: string) =>
    new Map(
      fields
        .filter(([name]) => name.startsWith(prefix))
        .map(([name, value]) => [name.slice(prefix.length), value]),
    );
  const attributes = named('attribute:');
  const isFlag = (name: string) => current?.attributes.some((a) => a.name === name && a.isFlag);
  const flags = new Set([...attributes.keys()].filter(isFlag));
  for (const name of flags) attributes.delete(name);
  attributes.set('locale', pageSetting('language'));
  return { tag, attributes, flags, tokens: named('token:'), theme: pageSetting('theme') };
}

function pageSetting(name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** Creates the element anew, so that each change starts from the initial state. */
function draw(): void {
  if (!current) return;
  const choice = readChoice(current.tag);
  const element = document.createElement(choice.tag);
  for (const [name, value] of choice.attributes) element.setAttribute(name, value);
  for (const name of choice.flags) element.toggleAttribute(name, true);
  for (const [name, value] of choice.tokens) element.style.setProperty(name, value);
  const language = pageSetting('language');
  stage.lang = language;
  stage.dir = directionOf(language);
  stage.style.colorScheme = pageSetting('scheme');
  stage.style.inlineSize = pageSetting('width');
  theme.disabled = choice.theme === 'none';
  if (!theme.disabled) theme.href = `themes/${choice.theme}.css`;
  find('#code').textContent = codeOf(choice, location.href);
  events.replaceChildren();
  const state = pageSetting('state');
  stage.classList.toggle('many', state === ALL);
  if (state === ALL) {
    stage.style.removeProperty('inline-size');
    stage.replaceChildren(...Object.keys(states[current.tag] ?? {}).map(frameOf));
    return;
  }
  stage.replaceChildren(element);
  if (state !== '') void show(element, state);
}

/** Brings an element to a state. `data-reached` on the root element tells when it is there. */
async function show(element: HTMLElement, state: string): Promise<void> {
  await customElements.whenDefined(element.localName);
  await reach(element as Parameters<typeof reach>[0], state);
  root.dataset.reached = state;
}

/** Returns a picture of a state in a frame of its own, with the page's look. */
function frameOf(state: string): HTMLElement {
  const figure = document.createElement('figure');
  const caption = document.createElement('figcaption');
  caption.textContent = state;
  const frame = document.createElement('iframe');
  const width = pageSetting('width');
  const look = ['language', 'theme', 'scheme'].map((name) => [name, pageSetting(name)]);
  const settings = [['element', current?.tag ?? ''], ['state', state], ['bare', ''], ...look];
  Object.assign(frame, {
    loading: 'lazy',
    title: state,
    width: width === '100%' ? '360' : width.replace('px', ''),
    height: '568',
    src: `?${new URLSearchParams(settings).toString()}`,
  });
  figure.append(caption, frame);
  return figure;
}

/** Returns the names of an element's events, from its own manifest entry. */
function eventNames(tag: string): readonly string[] {
  return elements.find((element) => element.tag === tag)?.events ?? [];
}

function logEvent(event: Event): void {
  const item = document.createElement('li');
  const details = Object.entries(event)
    .filter(([name, value]) => name !== 'isTrusted' && typeof value !== 'function')
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  item.textContent = [event.type, ...details].join(' · ');
  events.prepend(item);
}

async function copy(): Promise<void> {
  try {
    await navigator.clipboard.writeText(find('#code').textContent);
    find('#copied').textContent = 'Copied.';
  } catch {
    find('#copied').textContent = 'The browser did not permit it: select the text.';
  }
}
