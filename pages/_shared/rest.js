// The height of a picture: a number of pixels, or from its upper edge to the bottom of the window.
const [PHONE, PHONE_LEAST] = [500, 340]; // pixels

class Rest {
  constructor(frame, take) {
    Object.assign(this, { frame, take });
    this.look = () => this.measure();
    addEventListener("resize", this.look);
    this.watcher = new ResizeObserver(this.look); // content above may grow
  }

  wish(height) {
    this.wished = height;
    const page = this.page();
    if (page !== this.watched) {
      this.watcher.disconnect();
      if (page && typeof height === "object") this.watcher.observe(page.firstElementChild ?? page);
      this.watched = page;
    }
    this.measure();
  }

  page() {
    return this.frame.closest('[data-testid="stMain"]');
  }

  measure() {
    const pixels = typeof this.wished === "object" ? this.left() : this.wished;
    if (!pixels || pixels === this.pixels) return;
    this.pixels = pixels;
    this.take(pixels);
  }

  // 0 if the picture is hidden and has no place.
  left() {
    const page = this.page();
    if (!page || !this.frame.clientWidth) return 0;
    const above = this.frame.getBoundingClientRect().top - page.getBoundingClientRect().top + page.scrollTop;
    const margin = parseFloat(getComputedStyle(page.firstElementChild).paddingBottom) || 0;
    const { below, most } = this.wished;
    const least = page.clientWidth < PHONE ? Math.max(this.wished.least, PHONE_LEAST) : this.wished.least;
    return Math.min(Math.max(Math.floor(page.clientHeight - above - margin - below), least), most);
  }

  end() {
    removeEventListener("resize", this.look);
    this.watcher.disconnect();
  }
}
