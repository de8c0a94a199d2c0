/* The element keeps its look under any style sheet of the page, even one for all elements. */
import { fixture, html } from '@open-wc/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { until } from './clock.fixture.ts';
import { FakeCompanion } from './companion.fixture.ts';
import { dialog, find, mount, open, outcome, say } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { leadPointerAway } from './pointer.fixture.ts';

const hostile = `
  html { font-size: 62.5% }
  * { color: red; background: yellow; font: italic 900 9px/1 serif; text-align: center;
      text-transform: uppercase; text-indent: 3em; text-shadow: 0 0 9px red; white-space: nowrap;
      word-break: break-all; box-sizing: content-box; animation: none; border: 3px solid red }
  button { all: unset }
  div, p, h2, h3, svg, section, dialog, header { display: none; opacity: 0; width: 1px }
  dialog { position: static; margin: 0 }
  [hidden] { display: block }
`;
const properties = [
  'color',
  'background-color',
  'display',
  'opacity',
  'font-size',
  'font-style',
  'font-weight',
  'line-height',
  'text-align',
  'text-transform',
  'text-indent',
  'text-shadow',
  'white-space',
  'word-break',
  'box-sizing',
  'padding',
  'border-top-width',
  'cursor',
];
const selectors = '#start section h3 [part=outcome-text] svg dialog header h2 [part=close]'.split(
  ' ',
);
const sheet = new CSSStyleSheet();
let companion: FakeCompanion;

beforeEach(async () => {
  companion = new FakeCompanion();
  await leadPointerAway();
});

function measure(element: FinancingCheckout): Record<string, string> {
  const measured: Record<string, string> = {};
  for (const selector of selectors) {
    const style = getComputedStyle(find(element, selector));
    for (const name of properties) measured[`${selector} ${name}`] = style.getPropertyValue(name);
  }
  return measured;
}

async function declined(): Promise<FinancingCheckout> {
  companion.farewell = { status: 'cancelled' };
  const element = await mount();
  await open(element);
  const ended = outcome(element);
  say(element, { type: 'ended', reason: 'cancelled' });
  await ended;
  await element.updateComplete;
  return element;
}

describe('a page that styles everything', () => {
  it('changes nothing inside the element', async () => {
    const element = await declined();
    const settled = () =>
      Promise.allSettled(
        (element.shadowRoot?.getAnimations() ?? []).map(({ finished }) => finished),
      );
    await settled();
    const before = measure(element);
    sheet.replaceSync(hostile);
    document.adoptedStyleSheets.push(sheet);
    // The sheet applies to the page's own content.
    expect(getComputedStyle(element).color).toBe('rgb(255, 0, 0)');
    await settled();
    expect(measure(element)).toEqual(before);
  });

  it('does not make text smaller than 16 pixels, which phones would zoom in on', async () => {
    const element = await mount();
    sheet.replaceSync('html { font-size: 62.5% } body { font-size: 1rem }');
    document.adoptedStyleSheets.push(sheet);
    expect(getComputedStyle(find(element, '#start')).fontSize).toBe('16px');
    sheet.replaceSync('body { font-size: 20px }');
    expect(getComputedStyle(find(element, '#start')).fontSize).toBe('20px');
  });

  it('may use any text size: the dialog can be closed and still mostly shows the lender’s page', async () => {
    const element = await mount();
    sheet.replaceSync(`body { font-size: ${innerWidth / 10}px }`);
    document.adoptedStyleSheets.push(sheet);
    await open(element);
    const { right } = find(element, '[part=close]').getBoundingClientRect();
    expect(right).toBeLessThanOrEqual(innerWidth);
    const header = find(element, 'header').getBoundingClientRect();
    expect(header.height).toBeLessThan(innerHeight / 2);
  });

  it('cannot cover the dialog with its own layers or transforms', async () => {
    const element = await mount();
    sheet.replaceSync(
      'body > * { transform: scale(0.5); overflow: hidden; contain: strict; z-index: 1 }',
    );
    document.adoptedStyleSheets.push(sheet);
    await open(element);
    const { x, width } = dialog(element).getBoundingClientRect();
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + width).toBeLessThanOrEqual(innerWidth);
    const { x: left, y: top } = find(element, '[part=close]').getBoundingClientRect();
    expect(element.shadowRoot?.elementFromPoint(left + 20, top + 20)?.closest('[part=close]')).toBe(
      find(element, '[part=close]'),
    );
  });
});

it('has its scrolling locked even without a doctype', async () => {
  const { parentElement: place } = await mount();
  const frame = document.createElement('iframe');
  place?.append(frame);
  const { contentDocument: page, contentWindow: view } = frame;
  if (!page || !view) throw new Error('It has no document.');
  expect(page.compatMode).toBe('BackCompat');
  page.body.style.blockSize = '5000px';
  const element = document.querySelector('financing-checkout');
  if (!element) throw new Error('There is no element.');
  page.body.append(element);
  const overflow = () => view.getComputedStyle(page.documentElement).overflow;
  await open(element);
  expect(overflow()).toBe('hidden');
  const ended = outcome(element);
  say(element, { type: 'ended', reason: 'cancelled' });
  await ended;
  await element.updateComplete;
  expect(overflow()).toBe('visible');
});

it('shows the shop’s content in the direction of the page in every language of the element', async () => {
  const around = await fixture<HTMLElement>(html`<div></div>`);
  for (const [theirs, locale] of [
    ['rtl', 'en'],
    ['ltr', 'ar'],
  ] as const) {
    around.dir = theirs;
    const element = await mount();
    element.locale = locale;
    around.append(element);
    await until(() => expect(find(element, 'div').dir).not.toBe(theirs));
    const own = element.querySelector('a');
    if (!own) throw new Error('There is nothing of the shop in it.');
    expect(getComputedStyle(own).direction).toBe(theirs);
    own.dir = find(element, 'div').dir;
    expect(getComputedStyle(own).direction).toBe(own.dir);
  }
});
