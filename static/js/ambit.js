// What every page needs; pages with more load their own modules beside it.
import "./panels.js";
import "./keys.js";
import "./announce.js";
import "./times.js";
