import { beforeEach, expect, inject, vi } from 'vitest';
import { until, whileTimePasses } from './clock.fixture.ts';
import { FakeCompanion } from './companion.fixture.ts';
import { button } from './element.fixture.ts';
import type { FinancingCheckout, FinancingErrorEvent } from './index.ts';

/** A checkout that the SDK was asked to show. */
export interface Presented {
  readonly kind: string;
  readonly options: {
    readonly sessionToken: string;
    readonly onApplicationCreated: (applicationId: string) => void;
    readonly onApprovalStatusChange: (status: string, data: object) => void;
    readonly onDataUpdate: (data: object, done?: (answer: object) => void) => Promise<unknown>;
    readonly onConfirm: (token: string) => void;
    readonly callback: (token: string | null, data?: object, status?: object | null) => void;
  };
}

interface ScriptedSdk {
  readonly asked: { readonly keys: string[]; readonly shown: Presented[]; disposed: number };
  init: (config: { apiKey: string }) => Promise<unknown>;
}

export let companion: FakeCompanion;
/** Name of the SDK's global variable. Each test has its own, because a script stays in the page. */
export let name: string;
/** Returns all errors in the console. */
export let reported: () => string;
let count = 0;

/** Sets up a companion that offers the scripted SDK (hosted-page.fixture.ts) and a frame. */
export function useScriptedSdk(): void {
  beforeEach(renewCompanion);
}

export function renewCompanion(): void {
  companion = new FakeCompanion();
  renew();
  const written = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  reported = () => written.mock.calls.join();
}

/** Switches to a script that no element has loaded yet. */
export function renew(manners = ''): void {
  name = `Sdk${++count}of${Math.random().toString(36).slice(2)}`;
  companion.sdk = { src: address(manners), global: name };
}

export const address = (manners = '') =>
  `${inject('hostedOrigin')}/sdk.js?${new URLSearchParams({ global: name, manners }).toString()}`;
export const scripted = () => Reflect.get(globalThis, name) as ScriptedSdk;
export const scripts = () =>
  document.querySelectorAll<HTMLScriptElement>(`script[src*="global=${name}&"]`);

/** Presses the button and waits until the SDK shows the checkout. */
export async function present(element: FinancingCheckout, nth = 1): Promise<Presented> {
  button(element).click();
  return presented(nth);
}

export function presented(nth: number): Promise<Presented> {
  return presentedBy(name, nth);
}

/** Waits until the scripted SDK with the given name shows the nth checkout or application. */
export async function presentedBy<T = Presented>(global: string, nth: number): Promise<T> {
  type Scripted = { asked: { shown: T[] } } | undefined;
  const shown = () => (Reflect.get(globalThis, global) as Scripted)?.asked.shown ?? [];
  // The script loads in real time.
  await until(() => expect(Reflect.get(globalThis, global)).toHaveProperty('asked'));
  await whileTimePasses(until(() => expect(shown()).toHaveLength(nth)));
  const found = shown()[nth - 1];
  if (!found) throw new Error('Nothing was presented.');
  return found;
}

export function codesOf(element: FinancingCheckout): string[] {
  const codes: string[] = [];
  element.addEventListener('financing-error', ({ code }: FinancingErrorEvent) => codes.push(code));
  return codes;
}
