/*
 * A page that replaces a working one in the frame and does not send `ready`: an error page from the
 * lender's servers or the browser, but possibly also a slow page or one without the protocol.
 * Therefore the page stays visible, with a message and further options below it.
 */
import { beforeEach, expect, it, vi } from 'vitest';
import { until } from './clock.fixture.ts';
import { find, frame, heard, mount, say } from './element.fixture.ts';
import type { FinancingCheckout } from './index.ts';
import { Journey } from './journey.fixture.ts';
import { useScriptedSdk } from './sdk.fixture.ts';

useScriptedSdk();

let element: FinancingCheckout;

beforeEach(async () => {
  element = await mount();
  await new Journey('embedded', {}, element).run('open tick=4000 go=mute tick=15000');
  expect(heard(element)).toBe('This is taking longer than usual.');
});

it('a silent page stays visible and usable next to the message', () => {
  const seen = frame(element).getBoundingClientRect();
  const said = find(element, '.slow').getBoundingClientRect();
  expect(seen.height).toBeGreaterThan(200);
  // The dialog's animation may still move the message by a fraction of a pixel.
  expect(said.top - seen.bottom).toBeGreaterThan(-0.1);
});

it('a late `ready` removes the message without losing the focus of its button', async () => {
  find(element, '.slow button').focus();
  say(element, { type: 'ready' });
  await until(() => expect(heard(element)).toBe('Your application is ready.'));
  expect(find(element, '.slow').checkVisibility()).toBe(false);
  expect(element.shadowRoot?.activeElement).toBe(find(element, 'h2'));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(heard(element)).toBe('Your application is ready.');
});
