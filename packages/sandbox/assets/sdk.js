// A stand-in for the service's browser SDK (published contract, browser SDK): one global with `init`,
// which returns a promise, and `payments.present`, which shows the hosted page in a modal. It writes no
// style attribute and no markup, so that it runs under a shop's strict policy. README.md lists its
// unpublished parts, and the parameters for tests.

import { createPromotions } from './sdk-promotions.js';

{
  // The URL of a classic script is known only while it runs.
  const { origin: base, searchParams: parameters } = new URL(document.currentScript.src);
  const name = parameters.get('global') ?? 'ChargeAfter';
  /** The options of `init`. */
  let config;
  /** Closes the open modal without a callback. */
  let dismiss;

  const ask = async (path, query) => {
    const response = await fetch(`${base}/sdk/${path}?${new URLSearchParams(query)}`, {
      credentials: 'omit',
    });
    return response.ok ? response.json() : undefined;
  };
  /** Sends a body as text, which needs no CORS preflight. Returns undefined on failure. */
  const post = async (path, body) => {
    try {
      const options = { method: 'POST', body: JSON.stringify(body), credentials: 'omit' };
      const response = await fetch(`${base}/sdk/${path}`, options);
      return response.ok ? await response.json() : undefined;
    } catch {
      return undefined;
    }
  };
  const promotional = createPromotions(post, () => config?.apiKey);
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  async function init(options) {
    if (typeof options?.apiKey !== 'string' || options.apiKey === '') {
      throw new Error(`${name}: init needs { apiKey }, the public key.`);
    }
    if (parameters.get('init') === 'hang') await new Promise(() => undefined);
    const known = await ask('key', { key: options.apiKey });
    if (!known || parameters.get('init') === 'reject') throw new Error(`${name}: unknown apiKey.`);
    config = options;
    void promotional.render();
    options.onLoaded?.();
  }

  function present(kind, options = {}) {
    if (!config) throw new Error(`${name}: call init({ apiKey }) first.`);
    if (kind !== 'checkout' && kind !== 'apply') throw new Error(`${name}: ${kind} is not played.`);
    const { applicationId, cartDetails, sessionToken } = options;
    if (kind === 'checkout' && !sessionToken && !applicationId) {
      throw new Error(`${name}: sessionToken or applicationId is required here.`);
    }
    if (dismiss) throw new Error(`${name}: a checkout is on show already.`);

    const { apiKey: key } = config;
    let session = sessionToken;
    const call = (callback, ...values) => options[callback]?.(...values);
    /** The latest decision of each lender. */
    const decisions = new Map();
    let shown = false;
    /** The flow of the session: Apply or Checkout. */
    let flow;
    /** The confirmed token. */
    let token = null;
    let timeout;
    // It is not documented whether the published script shows its modal in the top layer or as a
    // part of the page.
    const isDialog = parameters.get('modal') !== 'page';
    const dialog = document.createElement(isDialog ? 'dialog' : 'div');
    const frame = document.createElement('iframe');
    const close = document.createElement('button');
    dialog.setAttribute('aria-label', 'Financing');
    frame.title = 'Financing';
    close.type = 'button';
    close.textContent = 'Close';
    Object.assign(dialog.style, {
      width: 'min(34rem, 100vw)',
      maxWidth: '100vw',
      height: 'min(46rem, 100dvh)',
      maxHeight: '100dvh',
      padding: '0',
      border: '0',
      overflow: 'hidden',
    });
    if (!isDialog) {
      dialog.setAttribute('role', 'dialog');
      Object.assign(dialog.style, {
        position: 'fixed',
        inset: '0',
        margin: 'auto',
        zIndex: '2147483647',
        background: 'Canvas',
      });
    }
    Object.assign(frame.style, { width: '100%', height: 'calc(100% - 3rem)', border: '0' });
    Object.assign(close.style, { display: 'block', height: '3rem', marginInlineStart: 'auto' });
    dialog.append(close, frame);

    const remove = () => {
      dismiss = undefined;
      clearTimeout(timeout);
      window.removeEventListener('message', receive);
      window.removeEventListener('keydown', onKey);
      dialog.remove();
    };
    const isOpen = () => dismiss === remove;
    dismiss = remove;

    /** Reads the published data of a completion. */
    async function readData() {
      // The policy of the shop may block the request. The checkout continues without the data.
      const {
        decided = [],
        flowType,
        ...data
      } = (await ask('session', { session, key }).catch(() => undefined)) ?? {};
      flow = flowType;
      for (const { status, ...lender } of isOpen() ? decided : []) {
        if (decisions.get(lender.lenderId) === status) continue;
        decisions.set(lender.lenderId, status);
        const { applicationId, consumerDetails } = data;
        call('onApprovalStatusChange', status, { applicationId, consumerDetails, ...lender });
      }
      data.lendersStatus = decided.map(({ lenderId, lenderName, status }) => ({
        lenderId,
        lenderName,
        status,
      }));
      return data;
    }

    async function end(code, message) {
      const data = isOpen() && session ? await readData() : {};
      // The session may have ended during the request.
      if (!isOpen()) return;
      remove();
      const status = code && !token ? { code, message } : null;
      const all = kind === 'apply' ? data : { ...data, token };
      // Published: the callback of an application has no token.
      if (kind === 'apply') call('callback', all, status);
      else call('callback', token, all, status);
      config?.onComplete?.(token, all, status, { source: kind, promotion: null });
    }

    async function conclude(confirmationToken) {
      if (token) return;
      token = confirmationToken;
      await readData();
      if (!isOpen()) return;
      call('onConfirm', token);
      await wait(Number(parameters.get('confirm') ?? 0));
      await end();
    }

    async function open() {
      shown = true;
      call('onModalOpen');
      const { applicationId: created, availableCredit, ...read } = await readData();
      const { totalAmount, taxAmount, shippingAmount, consumerDetails } = read;
      if (!isOpen()) return;
      if (kind === 'checkout' && flow === 'Apply') {
        return end('MISSING_CHECKOUT_DATA', 'A continued checkout needs cartDetails.');
      }
      if (created) {
        call('onApplicationCreated', created);
        config.onApplicationCreated?.(created);
      }
      if (parameters.has('code'))
        return end(parameters.get('code'), 'As the address of the script asks.');
      // An application that is continued may have its offers already.
      if (kind === 'apply' && availableCredit?.length) return end();
      if (!parameters.has('update') || kind === 'apply') return;
      const data = { totalAmount, taxAmount, shippingAmount, consumerDetails };
      // The page may return the answer or pass it to the callback.
      const answer = await new Promise((resolve) => {
        Promise.resolve(call('onDataUpdate', data, resolve)).then(
          (value) => value && resolve(value),
        );
      });
      // A session keeps its initial amounts.
      const other = Object.entries(answer ?? {}).some(([part, amount]) => data[part] !== amount);
      if (other) await end('TOTAL_AMOUNT_MISMATCH', 'The session has other amounts.');
    }

    function receive({ data, origin, source }) {
      if (origin !== base || source !== frame.contentWindow || data?.session !== session) return;
      if (data.protocol !== 'financing-checkout' || data.version !== 1) return;
      // Each page of the checkout sends `ready`.
      if (data.type === 'ready') void (shown ? next() : open());
      if (data.type === 'confirmed') void conclude(data.confirmationToken);
      if (data.type === 'ended') void end(...endOf(data.reason, kind));
    }

    async function next() {
      const { availableCredit } = await readData();
      // An application is complete once there are offers.
      if (kind === 'apply' && availableCredit?.length) await end();
    }

    function leave(event) {
      event.preventDefault();
      const left = () => end(...endOf('cancelled'));
      // A page that has not loaded cannot answer, and a hanging one may not: the dialog closes anyway.
      if (!shown || token) return left();
      timeout ??= setTimeout(left, 1000);
      const message = { protocol: 'financing-checkout', version: 1, session, type: 'close' };
      frame.contentWindow?.postMessage(message, base);
    }

    function onKey(event) {
      if (event.key === 'Escape') leave(event);
    }

    window.addEventListener('message', receive);
    if (!isDialog) window.addEventListener('keydown', onKey);
    dialog.addEventListener('cancel', leave);
    close.addEventListener('click', leave);
    // Also fires when the page removes the dialog together with its own content.
    dialog.addEventListener('close', () => end(...endOf('cancelled')));
    const load = () => {
      const query = new URLSearchParams({ session, key, origin: location.origin });
      frame.src = `${base}/checkout?${query}`;
    };
    // Only an application without a session and a continued checkout open a session of their own.
    const opens = !sessionToken || (kind === 'checkout' && (applicationId || cartDetails));
    if (!opens) load();
    document.body.append(dialog);
    if (isDialog) dialog.showModal();
    else close.focus();
    if (!opens) return;
    void openSession({ ...options, kind, key }).then(({ session: opened, code }) => {
      if (!isOpen()) return;
      session = opened;
      if (opened) load();
      else void end(code, 'No session could be opened.');
    });
  }

  /** Opens a session with the public key. @returns its token, or a status code */
  async function openSession({ consumerDetails, ...options }) {
    const { firstName, lastName, email, mobilePhoneNumber } = consumerDetails ?? {};
    const consumer = { firstName, lastName, email, mobilePhoneNumber };
    return (
      (await post('session', { ...options, consumerDetails: consumer })) ?? { code: 'GENERAL' }
    );
  }

  /** Returns code and message of an end. No code is published for declined, pending or expired. */
  function endOf(reason, kind) {
    if (reason === 'cancelled') return ['CONSUMER_CANCELLED', 'The consumer left.'];
    if (reason === 'failed') {
      const what = kind === 'apply' ? 'APPLICATION' : 'CHECKOUT';
      return [`CREATE_${what}_FAILED`, 'The page could not be shown.'];
    }
    return ['BACK_TO_STORE', 'The consumer returned to the store.'];
  }

  const before = window[name];
  const sdk = (window[name] = {
    cfg: before?.cfg,
    init,
    promotions: promotional.promotions,
    promotionalWidget: promotional.promotionalWidget,
    dispose() {
      dismiss?.();
      config = undefined;
    },
  });

  // Published: it may be missing right after the script has loaded.
  if (parameters.get('payments') !== 'never') {
    void wait(Number(parameters.get('payments') ?? 50)).then(() => (sdk.payments = { present }));
  }
  // Older pages set the options of `init` before the script loads.
  const set = before?.cfg ?? window.caConfig;
  if (set?.apiKey) init(set).catch(() => undefined);
}
