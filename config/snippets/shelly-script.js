// Script for a Shelly of generation 2 or later: asks elbro every minute and switches ON in the cheapest hours.
// Add it to the device under Scripts, change the values below, and enable "Run on startup".
let ELBRO = "http://192.168.1.5:8080";
let KEY = "a-key-of-elbro";
let HOME = "home";
let HOURS = "3";
let READY_BY = "07:00";

// Seconds after which an ON ends unless it is renewed, so that a device without connection to elbro switches OFF.
let DEAD_MAN_S = 900;

function ask() {
  let url = ELBRO + "/local/v1/cheap?home=" + HOME + "&hours=" + HOURS + "&ready_by=" + READY_BY;
  let request = { method: "GET", url: url, headers: { Authorization: "Bearer " + KEY }, timeout: 10 };
  Shelly.call("HTTP.Request", request, function (answer) {
    let on = answer && answer.code === 200 && answer.body === "ON";
    Shelly.call("Switch.Set", on ? { id: 0, on: true, toggle_after: DEAD_MAN_S } : { id: 0, on: false });
  });
}

Timer.set(60000, true, ask);
ask();
