// A stand-in for the service's browser SDK (reference: service SDK): one global, `init` with the
// public key, and `payments.present`, which shows the hosted page in a modal of its own. It writes
// no style attribute and no markup, so that it runs under a shop's strict policy. A shopper cannot
// change the cart in it, so `onDataUpdate` is never called.

{
  // Only while a classic script runs is it known where it came from.
  const base = new URL(document.currentScript.src).origin;
  let apiKey;
  let open = false;

  const status = {
    cancelled: { code: 'CONSUMER_CANCELLED', message: 'The consumer left.' },
    declined: { code: 'APPLICATION_DECLINED', message: 'No lender made an offer.' },
    expired: { code: 'SESSION_EXPIRED', message: 'The session ran out.' },
    pending: { code: 'PENDING', message: 'Somebody still has something to do.' },
    failed: { code: 'CREATE_CHECKOUT_FAILED', message: 'The checkout could not be shown.' },
  };

  function present(kind, options) {
    if (!apiKey) throw new Error('FinancingService: call init({ apiKey }) first.');
    if (kind !== 'checkout') throw new Error('FinancingService: only "checkout" is played here.');
    if (!options?.sessionToken || typeof options.callback !== 'function') {
      throw new Error('FinancingService: sessionToken and callback are required.');
    }
    if (open) throw new Error('FinancingService: a checkout is on show already.');
    open = true;

    const { sessionToken: session, callback } = options;
    const call = (name, ...values) => options[name]?.(...values);
    let shown = false;
    let patience;
    const dialog = document.createElement('dialog');
    const frame = document.createElement('iframe');
    const close = document.createElement('button');
    dialog.setAttribute('aria-label', 'Financing');
    frame.title = 'Financing';
    frame.src = `${base}/checkout?${new URLSearchParams({ session, key: apiKey, origin: location.origin })}`;
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

    function end(token, why) {
      if (!open) return;
      open = false;
      clearTimeout(patience);
      window.removeEventListener('message', hear);
      dialog.remove();
      callback(token, {}, why, { session });
    }

    function hear({ data, origin, source }) {
      if (origin !== base || source !== frame.contentWindow || data?.session !== session) return;
      if (data.protocol !== 'financing-checkout' || data.version !== 1) return;
      // Each page of the checkout says so.
      if (data.type === 'ready' && !shown) {
        shown = true;
        call('onModalOpen');
        void tellApplication(session, options);
      }
      if (data.type === 'confirmed') {
        call('onConfirm', {}, () => undefined);
        end(data.confirmationToken, undefined);
      }
      if (data.type === 'ended') end(null, status[data.reason] ?? status.failed);
    }

    function leave(event) {
      event.preventDefault();
      // A page that has not come hears nothing, and one that hangs may not answer: nobody is kept in
      // the dialog for that.
      if (!shown) return end(null, status.cancelled);
      patience ??= setTimeout(() => end(null, status.cancelled), 1000);
      const message = { protocol: 'financing-checkout', version: 1, session, type: 'close' };
      frame.contentWindow?.postMessage(message, base);
    }

    window.addEventListener('message', hear);
    dialog.addEventListener('cancel', leave);
    close.addEventListener('click', leave);
    // Taken out with the page's own content it can end nothing any more.
    dialog.addEventListener('close', () => end(null, status.cancelled));
    document.body.append(dialog);
    dialog.showModal();
  }

  async function tellApplication(session, { onApplicationCreated }) {
    if (!onApplicationCreated) return;
    const query = new URLSearchParams({ session, key: apiKey });
    try {
      const response = await fetch(`${base}/sdk/application?${query}`, { credentials: 'omit' });
      if (response.ok) onApplicationCreated((await response.json()).applicationId);
    } catch {
      // The shop's policy may not let it ask. The checkout goes on without.
    }
  }

  window.FinancingService = {
    init(options) {
      if (typeof options?.apiKey !== 'string' || options.apiKey === '') {
        throw new Error('FinancingService: init needs { apiKey }, the public key.');
      }
      apiKey = options.apiKey;
    },
    payments: { present },
  };
}
