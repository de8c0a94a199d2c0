import { orderTicket, type Scenario, scenarios } from '@financing-checkout/widget/development';

/** An element of the widget with a scenario, whose type differs between elements. */
type Element = HTMLElement & {
  scenario: unknown;
  updateComplete: Promise<unknown>;
  start(): void;
  close(): void;
  open?(): Promise<void>;
};

/** How to bring an element to a state without a shopper. */
interface State {
  /** Selector in the shadow root that matches once the state is reached. */
  readonly shows: string;
  readonly scenario?: Scenario | string;
  readonly attributes?: Readonly<Record<string, string>>;
  /** What the shopper does, in order. Each step waits for what it needs. */
  readonly steps?: readonly Step[];
}

type Step = 'start' | 'finish' | 'close' | 'return' | 'change the cart' | 'take the phone' | 'open';

const started: readonly Step[] = ['start'];
const finished: readonly Step[] = ['start', 'finish'];
const notice = (name: string) => `section.${name}:not([hidden])`;
const page = 'dialog[open] .stage[aria-busy=false] .frame:not([hidden]) iframe';
const first = '#start:not(:disabled)';
const phoneButton = '#start ~ [part=second-button]:not([hidden])';
const unknown: Scenario = { verdicts: [{ status: 'unavailable', retrySafe: false }] };
const amounts = { before: 129_900, after: 154_800 };

/** The states of `<financing-checkout>` in which a scenario ends after the lender's page. */
const ends = ['approved', 'pending', 'declined', 'cancelled', 'expired', 'failed'] as const;
const ofApplication = ['prequalified', 'pending', 'declined', 'not-found', 'expired'] as const;

/** Returns the states that end with a notice of the same name. */
const ended = (names: readonly string[]): Record<string, State> =>
  Object.fromEntries(
    names.map((name) => [name, { shows: notice(name), scenario: name, steps: finished }]),
  );

/** Every state that a shopper can see, by element and name. */
export const states: Readonly<Record<string, Readonly<Record<string, State>>>> = {
  'financing-message': {
    closed: { shows: '[part~=text]' },
    open: { shows: 'dialog[open]', steps: ['open'] },
  },
  'financing-prequalify': {
    idle: { shows: first },
    shown: { shows: page, scenario: 'prequalified', steps: started },
    ...ended(ofApplication),
    unavailable: { shows: notice('unavailable'), scenario: 'unavailable', steps: started },
  },
  'financing-checkout': {
    idle: { shows: first },
    disabled: { shows: '#start:disabled', attributes: { disabled: '' } },
    resumable: { shows: '#start slot[name=resume-label]', steps: ['start', 'return'] },
    opening: {
      shows: 'dialog[open] .stage[aria-busy=true]',
      scenario: scenarios.opening,
      steps: started,
    },
    shown: { shows: page, steps: started },
    slow: { shows: 'dialog[open] .slow:not([hidden])', scenario: scenarios.slow, steps: started },
    silent: {
      shows: 'dialog[open] .silent:not([hidden])',
      scenario: { lender: 'broken' },
      steps: started,
    },
    away: { shows: notice('away'), scenario: { lender: 'away' }, steps: started },
    leaving: {
      shows: '#start[aria-disabled=true]',
      scenario: { cancellation: 'never' },
      steps: ['start', 'close'],
    },
    changed: { shows: notice('changed'), scenario: scenarios['cart-changed'], steps: finished },
    confirming: { shows: notice('confirming'), scenario: scenarios.confirming, steps: finished },
    checking: { shows: notice('checking'), scenario: unknown, steps: finished },
    ...ended(ends),
    'approved-other': {
      shows: notice('approved'),
      scenario: {
        found: { status: 'approved', amount: { value: amounts.before, currency: 'USD' } },
      },
      steps: ['start', 'finish', 'change the cart'],
    },
    stale: { shows: notice('stale'), scenario: scenarios['ticket-expired'], steps: started },
    unavailable: {
      shows: notice('unavailable'),
      scenario: { opening: 'unreachable' },
      steps: started,
    },
    offline: { shows: notice('offline'), scenario: scenarios.offline, steps: started },
    'phone-offered': { shows: phoneButton, attributes: { phone: '' } },
    ...Object.fromEntries(
      (['waiting', 'opened'] as const).map((link) => [
        `phone-${link}`,
        {
          shows: '.phone [part=address]',
          scenario: { link },
          attributes: { phone: '' },
          steps: ['take the phone'] as const,
        },
      ]),
    ),
  },
};

/** Drives a rendered element into a state. @throws if it does not reach the state */
export async function reach(element: Element, name: string): Promise<void> {
  const state = states[element.localName]?.[name];
  if (!state) throw new Error(`<${element.localName}> has no state ${name}.`);
  const { attributes = {}, scenario = 'approved', steps = [], shows } = state;
  for (const [attribute, value] of Object.entries(attributes)) {
    element.setAttribute(attribute, value);
  }
  if (element.localName !== 'financing-message') {
    element.scenario = scenario;
    const other = Object.assign(document.createElement('a'), { href: '#card', lang: 'en' });
    other.slot = 'other-methods';
    other.textContent = 'Pay by card';
    element.append(other);
  }
  // Each element has its own order and companion, because elements in a tab share its memory.
  const order = { merchantOrderId: crypto.randomUUID(), totalAmount: amounts.before };
  if (element.localName === 'financing-checkout') element.setAttribute('order', orderTicket(order));
  element.addEventListener('financing-order-change', (event) => {
    event.restoreWith(() => Promise.resolve(orderTicket(order)));
  });
  const address = element.getAttribute('companion');
  if (element.localName === 'financing-prequalify') {
    element.setAttribute('companion', `${address ?? ''}/${crypto.randomUUID()}`);
  }
  const outcome = new Promise((resolve) => {
    element.addEventListener('financing-outcome', resolve, { once: true });
  });
  await element.updateComplete;
  for (const step of steps) {
    if (step === 'change the cart') {
      await outcome;
      element.setAttribute('order', orderTicket({ ...order, totalAmount: amounts.after }));
      await element.updateComplete;
    } else await take(element, step);
  }
  await found(element, shows);
  const moving = (element.shadowRoot?.getAnimations() ?? []).filter(
    (one) => one.effect?.getComputedTiming().iterations !== Infinity,
  );
  await Promise.allSettled(moving.map((one) => one.finished));
}

async function take(element: Element, step: Exclude<Step, 'change the cart'>): Promise<void> {
  switch (step) {
    case 'start':
      element.start();
      break;
    case 'open':
      await found(element, '[part~=text]');
      await element.open?.();
      break;
    case 'take the phone':
      (await found(element, phoneButton)).click();
      break;
    case 'finish': {
      const frame = (await found(element, page)) as HTMLIFrameElement;
      frame.contentDocument?.getElementById('finish')?.click();
      break;
    }
    case 'close':
      await found(element, page);
      element.close();
      break;
    case 'return':
      await found(element, page);
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
  }
}

/** Waits for a part of an element. @throws if there is none within a minute */
async function found(element: Element, selector: string): Promise<HTMLElement> {
  const end = performance.now() + 60_000;
  for (;;) {
    const part = element.shadowRoot?.querySelector<HTMLElement>(selector);
    if (part) return part;
    if (performance.now() > end) throw new Error(`The element never shows ${selector}.`);
    await new Promise((resolve) => requestAnimationFrame(resolve));
  }
}
