// Search from the file system: a page opened as file:// may start no worker, so the search runs in a hidden frame.
// The frame has the page's origin; its script finds `importScripts` and `postMessage` as a worker would.
(() => {
  "use strict";
  if (location.protocol !== "file:") return;

  class IFrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.documentElement.append(frame);
      const inner = frame.contentWindow;
      inner.postMessage = (data) => {
        const event = new MessageEvent("message", { data });
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      };
      inner.importScripts = (...urls) =>
        urls.reduce((done, each) => done.then(() => load(inner, each)), Promise.resolve());
      this.frame = frame;
      this.ready = load(inner, new URL(url, document.baseURI).href);
    }

    postMessage(data) {
      this.ready = this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  }

  function load(inner, url) {
    return new Promise((resolve, reject) => {
      const script = inner.document.createElement("script");
      script.src = url;
      script.onload = resolve;
      script.onerror = reject;
      inner.document.head.append(script);
    });
  }

  window.IFrameWorker = window.Worker = IFrameWorker;
})();
