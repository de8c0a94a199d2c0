/*
 * Runs a journey of `journeys.test.ts`: steps of the shopper, the page, the lender's page, the browser
 * and the companion, and then what the shopper sees and what the page and the companion received.
 */
import { oneEvent } from '@open-wc/testing';
import type { Checkout, ProblemCode } from '@financing-checkout/contract/storefront';
import { problems } from '@financing-checkout/contract/storefront';
import { expect, vi } from 'vitest';
import { userEvent } from 'vitest/browser';
import { until, whileTimePasses } from './clock.fixture.ts';
import { broken, COMPANION, LINK, problem, ticket } from './companion.fixture.ts';
import { digest, Memory } from './companion/memory.ts';
import { readTicket } from './companion/ticket.ts';
import {
  button,
  dialog,
  find,
  frame,
  frames,
  heard,
  isOpen,
  mount,
  onFrame,
  open,
  say,
  seen,
} from './element.fixture.ts';
import type {
  FinancingCheckout,
  FinancingOrderChangeEvent,
  FinancingOutcomeEvent,
} from './index.ts';
import {
  address,
  companion,
  name,
  present,
  presented,
  renew,
  reported,
  scripted,
  scripts,
} from './sdk.fixture.ts';
import { openedWindow, readyInWindow, readySaid } from './window.fixture.ts';

type Presentation = 'embedded' | 'popup' | 'redirect' | 'sdk' | 'phone';
type Answer = (signal: AbortSignal) => Response | Promise<Response>;
type Route = 'prime' | 'find' | 'confirmation' | 'cancellation';
type Step = (argument: string) => unknown;

/** What the shopper sees and hears, what has the focus, and the outcome that the page receives. */
export interface View {
  readonly title?: string;
  readonly text?: string;
  readonly action?: string;
  readonly second?: string;
  /** Whether other ways to pay are shown. */
  readonly others?: boolean;
  readonly heard: string;
  /** What the open dialog shows. */
  readonly dialog?: string;
  readonly focus: string;
  readonly outcome?: string;
}

/** A text of the service that nothing may repeat. */
const SECRET = 'Alex Rivera';
/** The parts of the dialog that a view names, in this order. */
const parts = {
  skeleton: '.skeleton',
  frame: 'iframe',
  again: '.slow button',
  next: '.slow [part=second-button]',
};
/** The texts of the button with which a checkout starts, where a page may also offer a phone. */
const starts = ['Pay over time', 'Start again', 'Try again', 'Continue your application'];

/** Reads a table: a line is a row, a bar separates cells, and an indented line continues the row before. */
export function rowsOf(table: string): string[][] {
  const lines = table
    .trim()
    .replaceAll(/\n {2,}/g, ' ')
    .split('\n');
  return lines.map((line) => line.split('|').map((cell) => cell.trim()));
}

export function inPage(action: string, announced = ''): View {
  const empty = { title: '', text: '', second: '', others: false };
  return { ...empty, action, heard: announced, focus: '#start' };
}

export function inDialog(announced: string, shown: string): View {
  return { heard: announced, dialog: shown, focus: shown.startsWith('frame') ? 'iframe' : 'h2' };
}

/** @param cells title, text, texts of the buttons, `others`, and the outcome */
export function noticeOf(cells: readonly string[]): View {
  const [title = '', text = '', action = '', second = '', others, outcome] = cells;
  return {
    title,
    text,
    action,
    second,
    others: others === 'others',
    heard: `${title}. ${text}`.trim(),
    // A window has the focus itself: the button to show it again comes later.
    focus: action && action !== 'Show the window' ? '#start' : 'h3',
    ...(outcome && { outcome }),
  };
}

const framed = (url: string) => ({
  presentation: { sessionToken: 's', hosted: { url, modes: ['embedded'] } },
});
/** Changes to an opened checkout with which the companion violates the contract or the setup. */
const odd: Readonly<Record<string, object>> = {
  production: { environment: 'production' },
  teleported: { status: 'teleported' },
  'no-whole-amount': { amount: { value: 1299.5, currency: 'USD' } },
  'no-exact-amount': { amount: { value: 2 ** 53, currency: 'USD' } },
  'nothing-to-show': { presentation: undefined },
  'own-origin': framed(`${location.origin}/checkout`),
  'plain-http': framed('http://lender.example/checkout'),
  script: framed('javascript:alert(1)'),
  'script-link': {
    presentation: { sessionToken: 's', link: { ...LINK, url: 'javascript:alert(1)' } },
  },
  reversed: { status: 'approved', presentation: undefined, reversal: { kind: 'reversed' } },
};
const usd = (value: number) => ({ value, currency: 'USD' });
const [agreed, current] = [usd(120_000), usd(135_000)];
/** Amounts of a confirmation that is refused because the cart has changed. */
const changes: Readonly<Record<string, object>> = {
  changed: { amounts: { approved: agreed, current } },
  'changed-back': { amounts: { approved: current, current: agreed } },
  'changed-sum-kept': { amounts: { approved: agreed, current: agreed } },
  'changed-somehow': {},
};

/** Reads `A-1001@135000EUR`, each part of which may be absent. */
function orderOf(spec: string): string {
  const [, id, amount, currency] = /^(A-\w+)?(?:@([\d.]+))?([A-Z]{3})?$/.exec(spec) ?? [];
  return ticket(id, amount ? Number(amount) : undefined, currency ? { currency } : {});
}

/** Reads `approved@120000`, and `approved/reduced@30000` for a reversal. */
function changeOf(spec: string): Partial<Checkout> {
  if (spec === 'unknown') return { status: 'unavailable', retrySafe: false };
  if (spec === 'down') return { status: 'unavailable', retrySafe: true };
  const [head = '', reversal = ''] = spec.split('/');
  const [status, amount] = head.split('@');
  const [kind, returned] = reversal.split('@');
  const sum = (text: string | undefined) => text && { amount: usd(Number(text)) };
  return {
    status: status as Checkout['status'],
    retrySafe: undefined,
    ...sum(amount),
    ...(kind && { reversal: { kind: kind as 'voided', ...sum(returned) } }),
  };
}

/** One run of a journey, in one presentation. */
export class Journey {
  readonly #presentation: Presentation;
  readonly #views: Readonly<Record<string, View>>;
  readonly #outcomes: FinancingOutcomeEvent[] = [];
  readonly #codes: string[] = [];
  readonly #opening = vi.spyOn(window, 'open');
  readonly #online = vi.spyOn(navigator, 'onLine', 'get');
  /** The page's tickets, with the number of requests before each. */
  readonly #tickets: { readonly since: number; readonly ticket: string }[] = [];
  #element!: FinancingCheckout;
  /** Whether the shopper has used the element, which then keeps the focus. */
  #isUsed = false;
  /** How many outcomes the page should have received. */
  #expected = 0;
  /** How many checkouts the SDK has presented. */
  #presented = 0;
  #hasFrames = false;
  /** How many pages have loaded in frames. */
  #loads = 0;
  #restorations = 0;
  #answer: (response: Response) => void = () => undefined;
  #restore: () => void = () => undefined;

  /** @param element an element that is mounted already */
  constructor(
    presentation: string,
    views: Readonly<Record<string, View>>,
    element?: FinancingCheckout,
  ) {
    this.#presentation = presentation as Presentation;
    this.#views = views;
    if (presentation === 'popup') companion.modes = ['embedded', 'popup'];
    if (presentation === 'redirect') companion.modes = ['redirect'];
    if (presentation !== 'sdk') companion.sdk = undefined;
    document.addEventListener('financing-outcome', (event) => this.#outcomes.push(event));
    document.addEventListener('financing-error', ({ code }) => this.#codes.push(code));
    if (element) this.#use(element);
  }

  #use(element: FinancingCheckout): void {
    this.#element = element;
    element.phone = this.#presentation === 'phone';
    this.#noteTicket(element.order);
    onFrame(element, () => (this.#hasFrames = true));
    element.shadowRoot?.addEventListener('load', () => this.#loads++, { capture: true });
    this.#isUsed = false;
  }

  async mount(order = ticket()): Promise<void> {
    const isReturn = this.#presentation === 'redirect';
    const presentation = /popup|sdk|redirect/.exec(this.#presentation)?.[0] ?? '';
    // The element of a page after a redirect gets its companion with the return.
    this.#use(await mount({ presentation, order, ...(isReturn && { companion: '' }) }));
    await this.#element.updateComplete;
  }

  async run(steps = ''): Promise<void> {
    await this.#element.updateComplete;
    for (const step of steps.split(' ').filter(Boolean)) {
      const [, name = '', argument = ''] = /^([^=]*)=?(.*)$/.exec(step) ?? [];
      await (this.#steps[name] ?? this.#answersTo(name))(argument);
      await this.#element.updateComplete;
    }
  }

  /**
   * Waits until a view is shown.
   * @param name with `*` if the tab knew the outcome before, with `~` if the page receives none again
   */
  async see(name = ''): Promise<void> {
    const [, still, known = '', restored] = /^(~?)(.*?)(\*?)$/.exec(name) ?? [];
    const { outcome, ...shown } = this.#viewOf(known);
    await until(() => expect(this.#look(shown)).toEqual(shown));
    if (!outcome || still) return;
    this.#expected++;
    await until(() => expect(this.#outcomes).toHaveLength(this.#expected));
    const [status = '', retrySafe] = outcome.split(' ');
    const isPaid = status === 'approved' || status === 'pending';
    const event = this.#outcomes.at(-1);
    expect(event).toMatchObject({
      outcome: status,
      retrySafe: retrySafe && retrySafe === 'true',
      restored: isPaid ? restored !== '' : undefined,
      linkExpiresAt: known.endsWith('with a link') ? LINK.expiresAt : undefined,
      reversal: companion.checkout.reversal,
      bubbles: true,
      composed: true,
    });
    const last = companion.sent.at(-1);
    if (!last || last.route === 'prime' || !/approved|pending|declined|cancelled/.test(status))
      return;
    const { amount, id: checkoutId, merchantOrderId } = companion.checkout;
    expect(event).toMatchObject({ checkoutId, merchantOrderId, amount });
  }

  /** Waits for the last view, and compares what the companion and the developer received. */
  async end(view = '', requests = '', codes = ''): Promise<void> {
    await this.see(view);
    const element = this.#element;
    if (!isOpen(element)) await until(() => expect(frames(element)).toBe(0));
    const windows = this.#opening.mock.results.map(({ value }) => value as Window | null);
    const areClosed = () => windows.every((opened) => opened?.closed ?? true);
    if (!/^(away|elsewhere)$/.test(view)) await until(() => expect(areClosed()).toBe(true));
    // Nothing precedes a return.
    const sent = this.#presentation === 'redirect' ? `prime ${this.#requests}` : this.#requests;
    expect(sent).toMatch(patternOf(requests));
    expect(this.#codes.join(' ')).toBe(codes);
    for (const code of this.#codes) expect(reported()).toContain(`See "${code}" in the README`);
    expect(reported()).not.toMatch(new RegExp(`pk-test-1|${SECRET}`));
    this.#expectSafeRequests();
    expectPrivateStorage();
    element.reset();
  }

  #viewOf(name: string): View {
    const view = this.#views[name];
    if (!view) throw new Error(`There is no view "${name}".`);
    return view;
  }

  #noteTicket(order: string): void {
    this.#tickets.push({ since: companion.sent.length, ticket: order });
  }

  get #requests(): string {
    let key: string | null | undefined;
    const names = companion.sent.map(({ route, headers, body }) => {
      if (route !== 'prime') return route;
      const before = key;
      key = headers.get('idempotency-key');
      const { via } = body as { via?: 'link' };
      return `${via ?? route}${key === before ? '=' : ''}`;
    });
    return names.join(' ');
  }

  /** Returns what is seen, with the focus that is expected if the element has it. */
  #look(expected: View): View {
    const element = this.#element;
    const isVisible = (selector: string) =>
      element.shadowRoot?.querySelector(selector)?.checkVisibility() === true;
    const hasFocus = element.shadowRoot?.activeElement?.matches(expected.focus);
    const focus = hasFocus || !this.#isUsed ? expected.focus : 'elsewhere';
    if (isOpen(element)) {
      const visible = Object.entries(parts).filter(([, selector]) => isVisible(selector));
      const names = visible.map(([name]) => name);
      const isLoading = names.includes('skeleton');
      const amount = find(element, '[part=amount]').textContent;
      if (!isLoading) expect(amount).toBe('$1,299.00');
      return { heard: heard(element), dialog: isLoading ? 'skeleton' : names.join(' '), focus };
    }
    const second = find(element, '#start ~ [part=second-button]');
    const text = second.checkVisibility() ? second.textContent.trim() : '';
    const isOffered = text === 'Continue on your phone';
    const { action = '', title } = expected;
    const isStart = starts.includes(action) && title !== 'Your cart has changed';
    expect(isOffered).toBe(element.phone && isStart);
    return {
      ...seen(element),
      second: isOffered ? '' : text,
      others: isVisible('[part=other-methods]'),
      heard: heard(element),
      focus,
    };
  }

  /** Checks what is the same in every request to the companion. */
  #expectSafeRequests(): void {
    const keys = new Set<string | null>(['key-1']);
    for (const [index, { route, request, headers, body }] of companion.sent.entries()) {
      expect(headers.get('authorization')).toBe('Bearer pk-test-1');
      expect(headers.get('financing-checkout-version')).toBe('1');
      expect(request).toMatchObject({
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
        referrerPolicy: 'strict-origin',
      });
      const key = headers.get('idempotency-key');
      const secret = headers.get('financing-checkout-secret');
      const order = this.#tickets.findLast(({ since }) => since <= index)?.ticket ?? '';
      if (route === 'prime') {
        expect([key, secret]).toEqual([expect.stringMatching(/^[\da-f-]{72}$/), null]);
        keys.add(key);
        const via = (body as { via?: string }).via && { via: 'link' };
        const returnUrl = this.#element.presentation.includes('redirect') && {
          returnUrl: location.href.split('#')[0],
        };
        expect(body).toEqual({ order, environment: 'sandbox', locale: 'en', ...via, ...returnUrl });
        continue;
      }
      expect([key, keys.has(secret)]).toEqual([null, true]);
      const isSame = readTicket(order)?.merchantOrderId === 'A-1001';
      const confirmation = { confirmationToken: 'token-1', ...(isSame && { order }) };
      if (route === 'confirmation') expect(body).toEqual(confirmation);
    }
  }

  #answerOf(name: string): Answer {
    const opened = (over: object = {}) =>
      Response.json(
        { ...(companion.checkout = companion.opened('checkout-1')), ...over },
        { status: 201 },
      );
    if (name in broken) return broken[name as keyof typeof broken];
    if (name === 'held') return () => new Promise((resolve) => (this.#answer = resolve));
    if (name === 'opened') return () => opened();
    if (name in odd) return () => opened(odd[name]);
    if (name === 'no-script') {
      const { presentation } = companion.opened('checkout-1');
      return () => opened({ presentation: { ...presentation, sdk: { src: 7 } } });
    }
    if (name in changes)
      return () => problem('order-changed', { retrySafe: true, ...changes[name] });
    if (name === 'then-close') {
      // The shopper leaves when the response is read, but not processed yet.
      return () => {
        const response = opened();
        const text = response.text.bind(response);
        vi.spyOn(response, 'text').mockImplementation(async () => {
          const read = await text();
          queueMicrotask(() => this.#element.close());
          return read;
        });
        return response;
      };
    }
    const code = name.replace('!', '');
    if (!(code in problems)) {
      const become = () => (companion.checkout = companion.ended(changeOf(name)));
      return () => Response.json(become(), { status: 201 });
    }
    return () => problem(code as ProblemCode, { retrySafe: code === name });
  }

  /** Returns a step such as `prime=refused,html*2`: the next answers to a route. */
  #answersTo(name: string): Step {
    if (!['prime', 'find', 'confirmation', 'cancellation'].includes(name)) {
      throw new Error(`There is no step "${name}".`);
    }
    return (answers) => {
      for (const one of answers.split(',')) {
        const [answer = '', times = 1] = one.split('*');
        const made = Array.from({ length: Number(times) }, () => this.#answerOf(answer));
        companion.instead(name as Route, ...made);
      }
    };
  }

  #press(selector: string): void {
    const pressed = find(this.#element, selector);
    pressed.focus();
    this.#isUsed = this.#element.shadowRoot?.activeElement === pressed;
    pressed.click();
  }

  async #open(): Promise<void> {
    this.#isUsed = true;
    const element = this.#element;
    if (this.#presentation === 'redirect') {
      const session = digest('session-of-checkout-1');
      const memory = new Memory(new URL(COMPANION), 'sandbox', ticket());
      memory.remember({ key: 'key-1', id: 'checkout-1', session });
      this.#isUsed = false;
    } else if (this.#presentation === 'phone') {
      this.#press('#start ~ [part=second-button]');
      await until(() =>
        expect(find(element, '[part=address]').textContent).toBe(
          companion.checkout.presentation?.link?.url,
        ),
      );
    } else if (this.#presentation === 'sdk') {
      await present(element, ++this.#presented);
      await this.see('elsewhere');
    } else if (this.#presentation === 'popup') {
      const ready = readyInWindow();
      button(element).click();
      await ready;
    } else await open(element);
  }

  /** Makes the lender's page end, as it does in each presentation. */
  async #finish(reason: string, token?: string): Promise<void> {
    const message = token
      ? { type: 'confirmed', confirmationToken: token }
      : { type: 'ended', reason };
    if (this.#presentation === 'popup') openedWindow().postMessage({ say: message }, '*');
    else if (this.#presentation === 'sdk') {
      const { options } = await presented(this.#presented);
      if (reason === 'declined') options.onApprovalStatusChange('DECLINE', { lenderId: 'l1' });
      // The SDK has no codes for the other reasons.
      const code = /^[A-Z]/.test(reason) ? reason : 'CONSUMER_CANCELLED';
      const status = token || code === 'NONE' ? null : { code, message: SECRET };
      options.callback(token ?? null, {}, status);
    } else if (this.#presentation === 'redirect') {
      const end = token ? `confirmation=${token}` : `ended=${reason}`;
      history.replaceState(null, '', `#financing-session=session-of-checkout-1&financing-${end}`);
      this.#element.companion = COMPANION;
    } else say(this.#element, message);
  }

  /** @param spec `find:2` for at least two lookups */
  #expectSent(spec: string): void {
    const [route, times = 1] = spec.split(':');
    expect(companion.count(route as Route)).toBeGreaterThanOrEqual(Number(times));
  }

  #setOnline(isOnline: boolean): void {
    this.#online.mockReturnValue(isOnline);
    dispatchEvent(new Event(isOnline ? 'online' : 'offline'));
  }

  readonly #steps: Readonly<Record<string, Step>> = {
    /* The shopper. */
    open: () => this.#open(),
    press: () => this.#press('#start'),
    twice: () => {
      this.#press('#start');
      button(this.#element).dispatchEvent(new MouseEvent('click', { bubbles: true, detail: 2 }));
      this.#element.start();
    },
    dblclick: () => userEvent.dblClick(button(this.#element)),
    x: () => this.#press('[part=close]'),
    escape: () =>
      until(async () => {
        // A page that is still loading may take the focus, and the key.
        find(this.#element, '[part=close]').focus();
        await userEvent.keyboard('{Escape}');
        expect(isOpen(this.#element)).toBe(false);
      }),
    // A browser closes the dialog before it dispatches the event.
    shut: () => {
      dialog(this.#element).close();
      dispatchEvent(new Event('online'));
    },
    second: () => this.#press('#start ~ [part=second-button]'),
    // Some browsers do not focus a clicked button.
    tap: () => {
      this.#isUsed = false;
      find(this.#element, '#start ~ [part=second-button]').click();
    },
    again: () => this.#press('.slow button'),
    next: () => this.#press('.slow [part=second-button]'),
    window: () => openedWindow().close(),

    /* The lender's page. */
    confirm: () => this.#finish('', 'token-1'),
    say: (reason) => this.#finish(reason),
    ready: async () => {
      const received = oneEvent(window, 'message');
      say(this.#element, { type: 'ready' });
      await received;
    },
    gone: () => until(() => expect(openedWindow().closed).toBe(true)),
    arrived: () => until(() => expect(this.#loads).toBeGreaterThan(0)),
    framed: () => until(() => expect(frames(this.#element)).toBe(1)),
    load: () => frame(this.#element).dispatchEvent(new Event('load')),
    decide: async (decision) => {
      const { options } = await presented(this.#presented);
      const [status = '', lenderId] = decision.split(':');
      options.onApprovalStatusChange(status, { lenderId });
    },
    onConfirm: async () => (await presented(this.#presented)).options.onConfirm('token-1'),

    /* The page. */
    reload: (spec) => {
      this.#element.remove();
      return this.mount(orderOf(spec));
    },
    move: () => document.body.append(this.#element),
    remount: () => {
      const place = this.#element.parentElement;
      this.#element.remove();
      place?.append(this.#element);
      this.#isUsed = false;
    },
    cart: (spec) => {
      this.#element.order = orderOf(spec);
      this.#noteTicket(this.#element.order);
    },
    start: () => this.#element.start(),
    close: () => this.#element.close(),
    reset: () => this.#element.reset(),
    resume: (expected) => expect(String(this.#element.resume())).toBe(expected),
    disable: () => (this.#element.disabled = true),
    enable: () => (this.#element.disabled = false),
    prevent: () =>
      this.#element.addEventListener('financing-start', (event) => event.preventDefault()),
    set: (spec) => {
      const [name = '', value = ''] = spec.split('=');
      Object.assign(this.#element, { [name]: value.replaceAll('_', ' ') });
    },
    remove: (name) => this.#element.removeAttribute(name),
    // The shop offers once to restore the approved order, with this ticket.
    restore: (spec) => {
      const restored = orderOf(spec.startsWith('@') ? spec : '@120000');
      const held = new Promise<void>((resolve) => (this.#restore = resolve));
      const restore = async () => {
        this.#restorations++;
        if (spec === 'held') await held;
        if (spec === 'refused') throw new Error('The goods are sold out.');
        this.#noteTicket(restored);
        return restored;
      };
      const offer = (event: FinancingOrderChangeEvent) => {
        expect(event).toMatchObject({ approved: agreed, current });
        event.restoreWith(restore);
      };
      this.#element.addEventListener('financing-order-change', offer, { once: true });
    },
    restored: (times) => {
      this.#restore();
      expect(this.#restorations).toBe(Number(times));
    },
    insecure: () => vi.spyOn(globalThis, 'isSecureContext', 'get').mockReturnValue(false),

    /* The browser. */
    offline: () => this.#setOnline(false),
    online: () => this.#setOnline(true),
    // Without the event of the browser.
    network: () => this.#online.mockReturnValue(true),
    blocked: () => this.#opening.mockReturnValueOnce(null),
    opened: (times) => expect(this.#opening).toHaveBeenCalledTimes(Number(times)),
    frameless: () => until(() => expect(frames(this.#element)).toBe(0)),
    unframed: () => expect(this.#hasFrames).toBe(false),
    hide: () => vi.spyOn(document, 'hidden', 'get').mockReturnValue(true),
    show: () => {
      vi.spyOn(document, 'hidden', 'get').mockReturnValue(false);
      document.dispatchEvent(new Event('visibilitychange'));
    },
    pageshow: (restored) => {
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: restored === 'restored' }));
      this.#isUsed = false;
    },
    go: async (page) => {
      const held = frame(this.#element);
      const { origin } = new URL(held.src);
      const query = { session: 'session-of-checkout-1', origin: location.origin, manners: page };
      const lender = `${origin}/checkout?${new URLSearchParams(query).toString()}`;
      const loaded = oneEvent(held, 'load');
      // The message may follow the load on a busy machine.
      const ready = page === 'lender' && readySaid();
      // Browsers refuse this port and show their own error page.
      held.src = { nowhere: 'http://127.0.0.1:9/', broken: `${origin}/broken` }[page] ?? lender;
      await Promise.all([loaded, ready]);
    },
    hang: () => {
      const held = frame(this.#element);
      held.src = new URL('/hanging', held.src).href;
    },
    ended: () => until(() => expect(this.#outcomes.length).toBeGreaterThan(this.#expected)),
    changed: () => until(() => expect(seen(this.#element).title).toBe('Your cart has changed')),
    tick: (ms) => vi.advanceTimersByTimeAsync(Number(ms)),
    // The lookup of other tabs comes before the timer.
    timer: () => until(() => expect(vi.getTimerCount()).toBeGreaterThan(0)),
    later: (what) =>
      whileTimePasses(
        until(() => {
          if (!what) expect(this.#outcomes.length).toBeGreaterThan(this.#expected);
          else if (what in this.#views) expect(heard(this.#element)).toBe(this.#viewOf(what).heard);
          else this.#expectSent(what);
        }),
      ),

    /* The companion. */
    verdict: (spec) => (companion.verdict = changeOf(spec)),
    farewell: (spec) => (companion.farewell = changeOf(spec)),
    now: (spec) => (companion.checkout = companion.ended(changeOf(spec))),
    // The next lookup finds a link in this state.
    link: (state) => {
      if (state === 'none') companion.link = undefined;
      else if (state === 'local') companion.link = { ...LINK, url: 'http://localhost:4444/link/1' };
      else {
        const link = { ...LINK, state: state as 'opened' };
        const { presentation } = companion.checkout;
        companion.checkout = {
          ...companion.checkout,
          presentation: { sessionToken: 's', ...presentation, link },
        };
      }
    },
    manners: (manners) => (companion.manners = manners),
    modes: (modes) => (companion.modes = modes.split(',') as typeof companion.modes),
    script: (src) => (companion.sdk = { src, global: name }),
    sdk: (manners) => renew(manners),
    requested: () => until(() => expect(scripts()).toHaveLength(1)),
    // The script loads in real time.
    loaded: () => until(() => expect(scripted()).toBeDefined()),
    unscripted: () =>
      vi.spyOn(document.head, 'append').mockImplementation(() => {
        throw new TypeError('blocked');
      }),
    // What a script, or the page itself, sets.
    global: (kind) => {
      const fail = () => {
        throw new Error(SECRET);
      };
      const init = () => undefined;
      const reject = () => Promise.reject(new Error(SECRET));
      const value = {
        form: document.createElement('form'),
        throws: { init, payments: { present: fail } },
        rejects: { init, payments: { present: reject } },
        'another-key': { init: fail, payments: { present: fail }, cfg: { apiKey: 'of-the-page' } },
      }[kind];
      const isCovered = kind === 'none' || kind === 'form';
      Reflect.set(globalThis, isCovered ? `${name}x` : name, value);
      if (isCovered) companion.sdk = { src: address(), global: `${name}x` };
    },
    answer: () =>
      this.#answer(
        Response.json((companion.checkout = companion.opened('checkout-1')), { status: 201 }),
      ),
    until: (spec) => until(() => this.#expectSent(spec)),
    made: (spec) => {
      const [route, times] = spec.split(':');
      expect(companion.count(route as Route)).toBe(Number(times));
    },
    aborted: () => until(() => expect(companion.sent.at(-1)?.request.signal.aborted).toBe(true)),
    disposed: (times) => expect(scripted().asked.disposed).toBe(Number(times)),

    sees: (name) => this.see(name.replaceAll('_', ' ')),
    // The page learns of which checkout the last outcome is.
    of: (id) => expect(this.#outcomes.at(-1)?.checkoutId ?? 'none').toBe(id),
  };
}

/** Returns a pattern of requests in which `find+` stands for one or more. */
export function patternOf(requests: string): RegExp {
  const parts = requests.split(' ').map((part) => (part === 'find+' ? 'find( find)*' : part));
  return new RegExp(`^${parts.join(' ')}$`);
}

function expectPrivateStorage(): void {
  for (const text of Object.values(sessionStorage)) {
    const names = Object.keys(JSON.parse(String(text)) as object).join();
    expect(names).toMatch(/^key(,id)?(,link)?(,outcome)?(,session)?$/);
  }
  const all = JSON.stringify([sessionStorage, localStorage]);
  expect(all).not.toMatch(/eyJ|A-1001|session-of|pk-test-1|token-1|link\.example/);
  expect([localStorage.length, document.cookie]).toEqual([0, '']);
}
