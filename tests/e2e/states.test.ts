/* Opens every state of checkout and application in the playground, and checks layout and colors. */
import type { Page } from 'playwright';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { offeredStates, servePlayground } from '../../scripts/playground.ts';
import { browser, useBrowser } from './running.ts';

useBrowser();

const elements = ['financing-prequalify', 'financing-checkout'];
let playground: Awaited<ReturnType<typeof servePlayground>>;
let page: Page;
/** Every state, as the query of its page. */
let states: string[];
/** Requests to other hosts. */
const foreignRequests: string[] = [];

beforeAll(async () => {
  playground = await servePlayground();
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.on('request', (request) => {
    const { hostname, protocol } = new URL(request.url());
    if (hostname !== 'localhost' && protocol !== 'data:') foreignRequests.push(request.url());
  });
  states = [];
  for (const element of elements) {
    for (const state of await offeredStates(page, playground.url, element))
      states.push(`element=${element}&state=${state}`);
  }
});
afterAll(() => playground.close());

/** Opens each state alone in a window of a size. */
async function eachState(
  [width, height]: readonly [number, number],
  check: (state: string) => Promise<void>,
): Promise<void> {
  expect(states.length).toBeGreaterThan(30);
  await page.setViewportSize({ width, height });
  for (const state of states) {
    await page.goto(`${playground.url}?bare&${state}`);
    await page.locator('html[data-reached]').waitFor();
    await check(state);
  }
}

/** Switches the page and its element to another language, without loading them again. */
async function speak(language: string): Promise<void> {
  await page.evaluate((tag) => {
    document.documentElement.lang = tag;
    document.documentElement.dir = tag === 'ar' ? 'rtl' : 'ltr';
    document.querySelector('#stage > *')?.setAttribute('locale', tag);
  }, language);
  await page.locator(`#stage > * [lang="${language}"]`).first().waitFor({ state: 'attached' });
}

/**
 * Lists the parts of the element that overflow the window horizontally or are clipped by their box.
 */
function clippedParts(): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.querySelector('#stage > *')?.shadowRoot;
    const visible = [...(root?.querySelectorAll<HTMLElement>('div *') ?? [])].filter(
      (part) => part.checkVisibility() && !part.closest('.unseen, svg'),
    );
    return visible
      .filter((part) => {
        const { left, right } = part.getBoundingClientRect();
        return left < 0 || right > innerWidth || part.scrollWidth > part.clientWidth + 1;
      })
      .map((part) => `${part.tagName}.${part.className} ${part.textContent.slice(0, 40)}`)
      .filter((name) => !/^(SLOT|BDI|SPAN)/.test(name));
  });
}

// 1280 by 1024 pixels at 400 % (WCAG 1.4.10).
test('fits into 320 by 256 pixels in German, Polish, Japanese and Arabic', async () => {
  await eachState([320, 256], async (state) => {
    for (const language of ['de', 'pl', 'ja', 'ar']) {
      await speak(language);
      expect(await clippedParts(), `${state} ${language}`).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `${state} ${language}`).toBe(320);
    }
  });
});

test('has no animations when the shopper prefers reduced motion', async () => {
  await eachState([768, 720], async (state) => {
    const moving = await page.evaluate(
      () => document.querySelector('#stage > *')?.shadowRoot?.getAnimations().length,
    );
    expect(moving, state).toBe(0);
  });
});

test('draws a border around each box in forced colors', async () => {
  await page.emulateMedia({ forcedColors: 'active' });
  await eachState([768, 720], async (state) => {
    const widths = await page.evaluate(() => {
      const root = document.querySelector('#stage > *')?.shadowRoot;
      return [...(root?.querySelectorAll('button, dialog, section') ?? [])]
        .filter((box) => box.checkVisibility())
        .map((box) => parseFloat(getComputedStyle(box).borderTopWidth));
    });
    expect(widths.length, state).toBeGreaterThan(0);
    expect(Math.min(...widths), state).toBeGreaterThan(0);
  });
  await page.emulateMedia({ forcedColors: 'none' });
});

test('shows all states of an element in the chosen theme, scheme, language and width', async () => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto(`${playground.url}?element=financing-checkout`);
  for (const [name, value] of [
    ['theme', 'calm'],
    ['language', 'ar'],
    ['width', '320px'],
    ['state', 'all states'],
  ] as const) {
    await page.locator(`select[name=${name}]`).selectOption(value);
  }
  const frames = page.locator('#stage iframe');
  const own = states.filter((state) => state.includes('financing-checkout'));
  expect(await frames.count()).toBe(own.length);
  await page.locator('iframe[title=declined]').scrollIntoViewIfNeeded();
  const declined = page.frameLocator('iframe[title=declined]');
  await declined.locator('html[data-reached] [dir=rtl] section.declined').waitFor();
  expect(await frames.first().getAttribute('width')).toBe('320');
});

test('sends no request to another host', () => expect(foreignRequests).toEqual([]));
