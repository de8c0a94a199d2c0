export default defineNuxtConfig({
  compatibilityDate: '2026-11-01',
  // Without this, Vue would treat the tags as Vue components.
  vue: { compilerOptions: { isCustomElement: (tag) => tag.startsWith('financing-') } },
  typescript: { tsConfig: { vueCompilerOptions: { strictTemplates: true } } },
});
