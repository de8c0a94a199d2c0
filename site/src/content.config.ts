import { docsSchema } from '@astrojs/starlight/schema';
import { defineCollection } from 'astro:content';
import { pages } from './documents.ts';
import { Links, sitePage } from './resolve.ts';

/** Marks the end of a page's content; see `head` in astro.config.ts. */
const end = '<div id="_end"></div>';

/** Wraps a wide table in a box that can be scrolled, including by keyboard. */
const scrollable = (html: string) =>
  html
    .replaceAll(
      '<table>',
      '<div class="table" role="group" aria-label="Table" tabindex="0"><table>',
    )
    .replaceAll('</table>', '</table></div>');

export const collections: Record<string, ReturnType<typeof defineCollection>> = {
  docs: defineCollection({
    schema: docsSchema(),
    loader: {
      name: 'documents',
      async load(context) {
        const { config, store } = context;
        const all = await pages();
        const links = new Links(all);
        store.clear();
        for (const page of all) {
          const { markdown, title } = sitePage(page, links, config.base);
          // Starlight treats files in this folder as its content.
          const fileURL = new URL(`src/content/docs/${page.id}.md`, config.root);
          const { html, metadata } = await context.renderMarkdown(markdown, { fileURL });
          store.set({
            id: page.id,
            data: await context.parseData({ id: page.id, data: { title } }),
            body: markdown,
            digest: context.generateDigest(markdown),
            rendered: { html: scrollable(html) + end, metadata },
          });
        }
      },
    },
  }),
};
