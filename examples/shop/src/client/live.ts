/** Milliseconds between two requests; the delay grows while nothing changes. */
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 15_000;

/**
 * Updates a page without a reload, so that focus and scroll position stay. `data-under-way` marks a
 * page that will still change, and `data-live` the parts to be replaced.
 */
export function keepLive(main: HTMLElement, wait = FIRST_WAIT): void {
  setTimeout(() => {
    void load().then((page) => {
      const news = page?.querySelector<HTMLElement>('main');
      // Without an answer, the browser is offline or the shop is restarting: retry later.
      const changed = news ? show(main, news) : false;
      if (news && !news.querySelector('[data-under-way]')) return;
      keepLive(main, changed ? FIRST_WAIT : Math.min(wait * 1.4, LONGEST_WAIT));
    });
  }, wait);
}

/**
 * Lets the browser fetch and parse a page, because Trusted Types do not allow a script to parse
 * markup.
 */
function load(): Promise<Document | undefined> {
  return new Promise((resolve) => {
    const request = new XMLHttpRequest();
    request.open('GET', location.href);
    request.responseType = 'document';
    request.onloadend = () =>
      resolve(request.status === 200 ? (request.responseXML ?? undefined) : undefined);
    request.send();
  });
}

/** Replaces the live parts. @returns whether any of them changed */
function show(main: HTMLElement, news: HTMLElement): boolean {
  const [old, now] = [parts(main), parts(news)];
  if ([...old.keys()].join() !== [...now.keys()].join()) {
    main.replaceChildren(...news.childNodes);
    return true;
  }
  const changed = [...now].filter(([name, part]) => old.get(name)?.isEqualNode(part) === false);
  for (const [name, part] of changed) old.get(name)?.replaceChildren(...part.childNodes);
  return changed.length > 0;
}

function parts(main: HTMLElement): Map<string, HTMLElement> {
  const found = main.querySelectorAll<HTMLElement>('[data-live]');
  return new Map([...found].map((part) => [part.dataset.live ?? '', part]));
}
