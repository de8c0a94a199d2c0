/* Opens every state of the element once in a real browser, then checks its layout and its colors. */
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../src/chromium.fixture.ts';
import { languages } from '../src/texts/languages.ts';
import * as looks from './looks.ts';
import { serveBuiltStates } from './serve.ts';
import type { ServedStates } from './serve.ts';
import { states } from './states.ts';

let served: ServedStates;
let browser: Browser;
let page: Page;
/** Requests to other hosts. */
const foreignRequests: string[] = [];

beforeAll(async () => {
  served = await serveBuiltStates();
  browser = await launchChromium();
  page = await browser.newPage({ reducedMotion: 'reduce' });
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== 'localhost' && hostname !== '127.0.0.1') foreignRequests.push(request.url());
  });
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

async function open(state: string): Promise<void> {
  await page.goto(`${served.url}cell.html?state=${state}`);
  await page.locator('html[data-reached]').waitFor();
}

/** Switches the page and its element to another language, without loading them again. */
async function speak(language: string): Promise<void> {
  await page.evaluate((tag) => {
    document.documentElement.lang = tag;
    document.documentElement.dir = tag === 'ar' ? 'rtl' : 'ltr';
    document.querySelector('main > :last-child')?.setAttribute('locale', tag);
  }, language);
  await page.locator(`main > :last-child [lang="${language}"]`).first().waitFor({
    state: 'attached',
  });
}

/**
 * Lists the parts of the element that overflow the window horizontally or are clipped by their box.
 */
function clippedParts(): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.querySelector('main > :last-child')?.shadowRoot;
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

describe.each(Object.keys(states))('%s', (state) => {
  beforeAll(() => open(state));

  // 1280 by 1024 pixels at 400 % (WCAG 1.4.10).
  it('fits into 320 by 256 pixels in German, Polish, Japanese and Arabic', async () => {
    await page.setViewportSize({ width: 320, height: 256 });
    for (const language of ['de', 'pl', 'ja', 'ar']) {
      await speak(language);
      expect(await clippedParts(), language).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), language).toBe(320);
    }
  });

  it('has no animations when the shopper prefers reduced motion', async () => {
    await page.setViewportSize({ width: 768, height: 720 });
    const moving = await page.evaluate(
      () => document.querySelector('main > :last-child')?.shadowRoot?.getAnimations().length,
    );
    expect(moving).toBe(0);
  });

  it('draws a border around each box in forced colors', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    const widths = await page.evaluate(() => {
      const root = document.querySelector('main > :last-child')?.shadowRoot;
      return [...(root?.querySelectorAll('button, dialog, section') ?? [])]
        .filter((box) => box.checkVisibility())
        .map((box) => parseFloat(getComputedStyle(box).borderTopWidth));
    });
    expect(widths.length).toBeGreaterThan(0);
    expect(Math.min(...widths)).toBeGreaterThan(0);
    await page.emulateMedia({ forcedColors: 'none' });
  });
});

describe('the page', () => {
  it('shows every state in each requested theme', async () => {
    await page.goto(`${served.url}?theme=calm&theme=soft&language=ar`);
    const frames = page.locator('iframe');
    await frames.first().waitFor();
    const shown = Object.keys(states).length + looks.messageStates.length;
    expect(await frames.count()).toBe(shown * 2);
    const offered = Object.keys(languages).length + 1;
    expect(await page.locator('input[name=language]').count()).toBe(offered);
    await page.getByLabel('declined', { exact: true }).uncheck();
    await page.waitForURL(/state=idle/);
    await frames.first().waitFor();
    expect(await frames.count()).toBe((shown - 1) * 2);
  });

  it('sends no request to another host', () => expect(foreignRequests).toEqual([]));
});
