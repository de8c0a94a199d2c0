// A stand-in for the service's browser SDK (published contract, browser SDK): one global with `init`,
// which returns a promise, and `payments.present`, which shows the hosted page in a modal. It writes no
// style attribute and no markup, so that it runs under a shop's strict policy. README.md lists its
// unpublished parts, and the parameters for tests.

{
  // The address of a classic script is known only while it runs.
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
  const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

  async function init(options) {
    if (typeof options?.apiKey !== 'string' || options.apiKey === '') {
      throw new Error(`${name}: init needs { apiKey }, the public key.`);
    }
    if (parameters.get('init') === 'hang') await new Promise(() => undefined);
    const known = await ask('key', { key: options.apiKey });
    if (!known || parameters.get('init') === 'reject') throw new Error(`${name}: unknown apiKey.`);
    config = options;
    options.onLoaded?.();
  }

  function present(kind, options = {}) {
    if (!config) throw new Error(`${name}: call init({ apiKey }) first.`);
    if (kind !== 'checkout' && kind !== 'apply') throw new Error(`${name}: ${kind} is not played.`);
    if (!options.sessionToken) throw new Error(`${name}: sessionToken is required here.`);
    if (dismiss) throw new Error(`${name}: a checkout is on show already.`);

    const { apiKey: key } = config;
    const { sessionToken: session } = options;
    const call = (callback, ...values) => options[callback]?.(...values);
    /** The latest decision of each lender. */
    const decisions = new Map();
    let shown = false;
    /** The confirmed token. */
    let token = null;
    let timeout;
    const dialog = document.createElement('dialog');
    const frame = document.createElement('iframe');
    const close = document.createElement('button');
    dialog.setAttribute('aria-label', 'Financing');
    frame.title = 'Financing';
    frame.src = `${base}/checkout?${new URLSearchParams({ session, key, origin: location.origin })}`;
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
    Object.assign(frame.style, { width: '100%', height: 'calc(100% - 3rem)', border: '0' });
    Object.assign(close.style, { display: 'block', height: '3rem', marginInlineStart: 'auto' });
    dialog.append(close, frame);

    const remove = () => {
      dismiss = undefined;
      clearTimeout(timeout);
      window.removeEventListener('message', receive);
      dialog.remove();
    };
    const isOpen = () => dismiss === remove;
    dismiss = remove;

    /** Reads the published data of a completion. */
    async function readData() {
      // The policy of the shop may block the request. The checkout continues without the data.
      const { decided = [], ...data } =
        (await ask('session', { session, key }).catch(() => undefined)) ?? {};
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
      const data = isOpen() ? await readData() : {};
      // It may have ended during the request.
      if (!isOpen()) return;
      remove();
      const status = code && !token ? { code, message } : null;
      if (kind === 'apply') return call('callback', data, status);
      const all = { ...data, token };
      call('callback', token, all, status);
      config?.onComplete?.(token, all, status, { source: 'checkout', promotion: null });
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
      const { applicationId, totalAmount, taxAmount, shippingAmount, consumerDetails } =
        await readData();
      if (!isOpen()) return;
      if (applicationId) {
        call('onApplicationCreated', applicationId);
        config.onApplicationCreated?.(applicationId);
      }
      if (parameters.has('code'))
        return end(parameters.get('code'), 'As the address of the script asks.');
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
      // Each page of the checkout sends ready.
      if (data.type === 'ready') void (shown ? next() : open());
      if (data.type === 'confirmed') void conclude(data.confirmationToken);
      if (data.type === 'ended') void end(...endOf(data.reason));
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

    window.addEventListener('message', receive);
    dialog.addEventListener('cancel', leave);
    close.addEventListener('click', leave);
    // Also when the page removes the dialog with its own content.
    dialog.addEventListener('close', () => end(...endOf('cancelled')));
    document.body.append(dialog);
    dialog.showModal();
  }

  /** Returns code and message of an end. No code is published for declined, pending or expired. */
  function endOf(reason) {
    if (reason === 'cancelled') return ['CONSUMER_CANCELLED', 'The consumer left.'];
    if (reason === 'failed') return ['CREATE_CHECKOUT_FAILED', 'The checkout could not be shown.'];
    return ['BACK_TO_STORE', 'The consumer returned to the store.'];
  }

  const before = window[name];
  const sdk = (window[name] = {
    cfg: before?.cfg,
    init,
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
