/* The page of all states, as people look at it: every state comes about, and holds where it is narrow. */
import { chromium } from 'playwright';
import type { Browser, Page } from 'playwright';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchOptions } from '../chromium.config.ts';
import { languages } from '../src/texts/languages.ts';
import * as looks from './looks.ts';
import { serveBuiltStates } from './serve.ts';
import type { ServedStates } from './serve.ts';
import { states } from './states.ts';

let served: ServedStates;
let browser: Browser;
let page: Page;
const elsewhere: string[] = [];

beforeAll(async () => {
  served = await serveBuiltStates();
  browser = await chromium.launch(launchOptions);
  page = await browser.newPage();
  page.on('request', (request) => {
    const { hostname } = new URL(request.url());
    if (hostname !== 'localhost' && hostname !== '127.0.0.1') elsewhere.push(request.url());
  });
});
afterAll(async () => {
  await browser.close();
  await served.close();
});

async function look(state: string, over: Record<string, string> = {}): Promise<void> {
  const query = new URLSearchParams({ state, ...over });
  await page.goto(`${served.url}cell.html?${query.toString()}`);
  await page.locator('html[data-reached]').waitFor();
}

/** What of the element sticks out of the window to a side, or is cut off in its own box. */
function outside(): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.querySelector('financing-checkout')?.shadowRoot;
    const shown = [...(root?.querySelectorAll<HTMLElement>('div *') ?? [])].filter(
      (one) => one.checkVisibility() && !one.closest('.unseen, svg'),
    );
    return shown
      .filter((one) => {
        const { left, right } = one.getBoundingClientRect();
        return left < 0 || right > innerWidth || one.scrollWidth > one.clientWidth + 1;
      })
      .map((one) => `${one.tagName}.${one.className} ${one.textContent.slice(0, 40)}`)
      .filter((name) => !/^(SLOT|BDI|SPAN)/.test(name));
  });
}

describe.each(Object.keys(states))('%s', (state) => {
  // 1280 by 1024 pixels at 400 % (WCAG 1.4.10).
  it.each(['de', 'ar', 'pl', 'ja'])('holds in %s at 320 by 256 pixels', async (language) => {
    await page.setViewportSize({ width: 320, height: 256 });
    await look(state, { language });
    expect(await outside()).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
  });

  it('does not move for who asked for that', async () => {
    await page.setViewportSize({ width: 768, height: 720 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await look(state);
    const moving = await page.evaluate(
      () => document.querySelector('financing-checkout')?.shadowRoot?.getAnimations().length,
    );
    expect(moving).toBe(0);
    await page.emulateMedia({ reducedMotion: 'no-preference' });
  });

  it('has edges in forced colours', async () => {
    await page.emulateMedia({ forcedColors: 'active' });
    await look(state);
    const edges = await page.evaluate(() => {
      const root = document.querySelector('financing-checkout')?.shadowRoot;
      return [...(root?.querySelectorAll('button, dialog, section') ?? [])]
        .filter((one) => one.checkVisibility())
        .map((one) => parseFloat(getComputedStyle(one).borderTopWidth));
    });
    expect(edges.length).toBeGreaterThan(0);
    expect(Math.min(...edges)).toBeGreaterThan(0);
    await page.emulateMedia({ forcedColors: 'none' });
  });
});

describe('the page', () => {
  it('shows every state in every look that is asked for', async () => {
    await page.goto(`${served.url}?theme=calm&theme=soft&language=ar`);
    const frames = page.locator('iframe');
    await frames.first().waitFor();
    expect(await frames.count()).toBe(Object.keys(states).length * 2);
    expect(await page.locator('input[name=language]').count()).toBe(12);
    await page.getByLabel('declined', { exact: true }).uncheck();
    await page.waitForURL(/state=idle/);
    await frames.first().waitFor();
    expect(await frames.count()).toBe((Object.keys(states).length - 1) * 2);
  });

  it('knows all languages of the widget', () => {
    const known = Object.keys(looks.languages).map((tag) => new Intl.Locale(tag).language);
    expect(known.sort()).toEqual(['en', ...Object.keys(languages)].sort());
  });

  it('asks nobody but itself', () => expect(elsewhere).toEqual([]));
});
